/// Programs that give a body to a parser and print what it found as JSON, fields first.
enum ReceiverScripts {
  static let python = #"""
    import base64, io, json, sys

    kind, path, content_type = sys.argv[1:4]
    body = open(path, "rb").read()
    fields, files = [], []

    def text(value):
        return value.decode("utf-8") if isinstance(value, bytes) else value

    def add(name, file_name, type, data):
        part = {"name": text(name), "data": base64.b64encode(data).decode()}
        if file_name is not None:
            part["fileName"] = text(file_name)
        if type:
            part["type"] = text(type)
        (fields if file_name is None else files).append(part)

    if kind == "werkzeug":
        from werkzeug.formparser import FormDataParser
        from werkzeug.http import parse_options_header
        type, options = parse_options_header(content_type)
        _, form, uploads = FormDataParser(silent=False).parse(io.BytesIO(body), type, len(body), options)
        for name, value in form.items(multi=True):
            add(name, None, None, value.encode())
        for name, upload in uploads.items(multi=True):
            add(name, upload.filename, upload.content_type, upload.read())
    elif kind == "python-multipart":
        from python_multipart import parse_form
        def on_file(file):
            file.file_object.seek(0)
            add(file.field_name, file.file_name, None, file.file_object.read())
        headers = {"Content-Type": content_type.encode(), "Content-Length": str(len(body)).encode()}
        parse_form(headers, io.BytesIO(body), lambda f: add(f.field_name, None, None, f.value or b""), on_file)
    elif kind == "django":
        from django.conf import settings
        settings.configure(DATA_UPLOAD_MAX_MEMORY_SIZE=None)
        from django.core.files.uploadhandler import TemporaryFileUploadHandler
        from django.http.multipartparser import MultiPartParser
        meta = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": len(body)}
        form, uploads = MultiPartParser(meta, io.BytesIO(body), [TemporaryFileUploadHandler()]).parse()
        for name, values in form.lists():
            for value in values:
                add(name, None, None, value.encode())
        for name, values in uploads.lists():
            for upload in values:
                add(name, upload.name, upload.content_type, upload.read())
    else:
        from email.parser import BytesParser
        message = BytesParser().parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
        if message.defects:
            sys.exit(str(message.defects))
        for part in message.get_payload():
            disposition = "content-disposition"
            file_name = part.get_param("filename", header=disposition)
            type = part.get_content_type() if "content-type" in part else None
            add(part.get_param("name", header=disposition), file_name, type, part.get_payload(decode=True))

    print(json.dumps(fields + files))
    """#

  static let node = #"""
    const [path, type] = process.argv.slice(2);
    const body = require("fs").readFileSync(path);
    new Response(body, { headers: { "Content-Type": type } }).formData().then(async (form) => {
      const fields = [], files = [];
      for (const [name, value] of form) {
        if (typeof value === "string") {
          fields.push({ name, data: Buffer.from(value).toString("base64") });
        } else {
          const data = Buffer.from(await value.arrayBuffer()).toString("base64");
          files.push({ name, fileName: value.name, type: value.type, data });
        }
      }
      console.log(JSON.stringify(fields.concat(files)));
    });
    """#

  static let php = #"""
    <?php
    $parts = [];
    foreach ($_POST as $name => $value) {
      $parts[] = ["name" => (string) $name, "data" => base64_encode($value)];
    }
    foreach ($_FILES as $name => $file) {
      $parts[] = [
        "name" => (string) $name, "fileName" => $file["name"], "type" => $file["type"],
        "data" => base64_encode(file_get_contents($file["tmp_name"])),
      ];
    }
    echo json_encode($parts);
    """#
}
