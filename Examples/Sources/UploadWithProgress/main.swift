// Uploads a file in a multipart form, and shows how far it is. Memory stays flat, whatever the file's size.
//
//   UploadWithProgress URL FILE [--limit BYTES_PER_SECOND]

import AFNetworking

struct Arguments {
  var url: URL
  var file: URL
  var limit: Int?

  init?(_ words: [String]) {
    guard words.count == 2 || words.count == 4, let url = URL(string: words[0]) else { return nil }
    self.url = url
    file = URL(fileURLWithPath: words[1])
    guard words.count == 4 else { return }
    guard words[2] == "--limit", let limit = Int(words[3]), limit > 0 else { return nil }
    self.limit = limit
  }
}

func fail(_ message: String, status: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("UploadWithProgress: \(message)\n".utf8))
  exit(status)
}

guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
  fail("usage: UploadWithProgress URL FILE [--limit BYTES_PER_SECOND]", status: 2)
}

let manager = AFHTTPSessionManager()
// Any answer with a status of 200 to 299 will do.
manager.responseSerializer = AFHTTPResponseSerializer()
if let limit = arguments.limit {
  manager.transportOptions.uploadLimit = AFBandwidthLimit(bytesPerSecond: limit)
}

let upload = Task {
  try await manager.post(
    arguments.url.absoluteString,
    constructingBodyWith: { form in
      form.appendPart(withForm: Data("a holiday".utf8), name: "title")
      // Throws if the file cannot be read. Its name and MIME type come from the path.
      try form.appendPart(withFileURL: arguments.file, name: "file")
    },
    progress: { progress in
      print("\(progress.completedUnitCount) of \(progress.totalUnitCount) bytes")
    })
}

// Ctrl-C cancels the upload: the connection is closed, and the program ends through the error below.
signal(SIGINT, SIG_IGN)
let interruption = DispatchSource.makeSignalSource(signal: SIGINT)
interruption.setEventHandler { upload.cancel() }
interruption.resume()

do {
  let answer = try await upload.value
  print("uploaded, status \(answer.statusCode)")
} catch let error as AFError where error.isCancelled {
  fail("interrupted", status: 130)
} catch {
  fail(error.localizedDescription)
}
