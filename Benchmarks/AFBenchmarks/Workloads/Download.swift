import Foundation

extension Workload {
  /// A large body to a file.
  static let download = Workload(
    name: "download",
    summary: "fetch a large body to a file",
    yardstick: "libcurl",
    clients: [
      Client(name: "libcurl", summary: "C: libcurl's 512 KiB buffer, one write for each") { job, meter in
        try LibcurlDownload.run(job, meter, buffer: 512 << 10)
      },
      Client(name: "libcurl-16KiB", summary: "C: a buffer of libcurl's default size", isUsual: false) { job, meter in
        try LibcurlDownload.run(job, meter, buffer: 16 << 10)
      },
      AFNetworkingClient.download,
      EngineClient.download,
      URLSessionDownload.client,
    ],
    cases: { options in
      guard !options.httpVersions.contains(.http2) else { throw UsageError("download is measured over HTTP/1.1") }
      return (options.concurrency.isEmpty ? [1] : options.concurrency).map { concurrency in
        var job = Job()
        job.url = "/bytes/\(options.fileSize)"
        job.concurrency = concurrency
        job.size = options.fileSize
        let name = "download-h1\(options.usesTLS ? "-tls" : "")-\(ByteSize.format(job.size))"
        return Case(
          name: concurrency > 1 ? "\(name)-x\(concurrency)" : name, job: job, server: options.usesTLS ? .tls : .plain,
          writesFiles: true)
      }
    })
}

/// Checks that downloads are whole, and removes them.
enum DownloadCheck {
  /// The size of the file, which is gone afterwards.
  static func take(_ location: URL?) throws -> Int64 {
    guard let location else { throw BenchmarkError("the download left no file") }
    let attributes = try FileManager.default.attributesOfItem(atPath: location.path)
    try FileManager.default.removeItem(at: location)
    return (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  static func check(_ bytes: Int64, for job: Job) throws {
    let expected = job.size * Int64(job.concurrency)
    guard bytes == expected else { throw BenchmarkError("\(bytes) bytes arrived of \(expected)") }
  }
}
