import AFMultipart
import Foundation

let form = AFMultipartForm()
form.appendPart(withForm: Data("value".utf8), name: "field")
guard form.contentLength ?? 0 > 0, form.contentType.hasPrefix("multipart/form-data; boundary=") else { exit(1) }
print("a form of \(form.contentLength ?? 0) bytes")
