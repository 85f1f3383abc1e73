// Downloads several files into a folder, three at a time. What was interrupted goes on where it stopped.
//
//   DownloadManager FOLDER URL…
//
// Ctrl-C ends it, and the next run goes on. Exit status: 0 all are there, 1 some are not, 2 wrong command line.

import AFNetworking

let words = CommandLine.arguments.dropFirst().map { $0 }
let urls = words.dropFirst().compactMap { URL(string: $0) }
guard words.count >= 2, urls.count == words.count - 1 else {
  FileHandle.standardError.write(Data("usage: DownloadManager FOLDER URL…\n".utf8))
  exit(2)
}

do {
  let downloads = try Downloads(folder: URL(fileURLWithPath: words[0]), atOnce: 3, attempts: 5)
  let interruptions = [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { downloads.interrupt() }
    source.resume()
    return source
  }
  defer { interruptions.forEach { $0.cancel() } }
  let failures = await downloads.fetch(urls)
  for (url, error) in failures { print("\(url.lastPathComponent): \(error.localizedDescription)") }
  exit(failures.isEmpty ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("DownloadManager: \(error.localizedDescription)\n".utf8))
  exit(1)
}
