import Foundation

extension Workload {
  /// A large file inside a multipart body.
  static let upload = Workload(
    name: "upload",
    summary: "send a large file as multipart/form-data after three fields",
    yardstick: "libcurl",
    clients: [
      Client(name: "libcurl", summary: "C: pread into libcurl's 1 MiB buffer") { job, meter in
        try LibcurlUpload.run(job, meter, buffer: 1 << 20, usesMime: false)
      },
      Client(
        name: "libcurl-mime", summary: "C: libcurl's own multipart encoder, 1 MiB buffer", isUsual: false
      ) { job, meter in
        try LibcurlUpload.run(job, meter, buffer: 1 << 20, usesMime: true)
      },
      Client(
        name: "libcurl-64KiB", summary: "C: pread into a buffer of libcurl's default size", isUsual: false
      ) { job, meter in
        try LibcurlUpload.run(job, meter, buffer: 64 << 10, usesMime: false)
      },
      AFNetworkingClient.upload,
      EngineClient.upload,
      URLSessionUpload.stream,
      URLSessionUpload.file,
      ToolClient.curl,
      ToolClient.toolbelt,
      ToolClient.httpx,
    ],
    cases: { options in
      guard !options.httpVersions.contains(.http2) else { throw UsageError("upload is measured over HTTP/1.1") }
      guard options.delay == 0 || options.packets.count == 1 else {
        throw UsageError("--delay needs one --packet: the bytes before each pause")
      }
      return (options.concurrency.isEmpty ? [1] : options.concurrency).map { concurrency in
        var job = Job()
        job.url = "/discard"
        job.concurrency = concurrency
        job.size = options.fileSize
        job.parts = options.parts
        job.packet = options.packets.first ?? 0
        job.delay = options.delay
        job.rate = options.rate
        var name = "upload-h1\(options.usesTLS ? "-tls" : "")-\(ByteSize.format(job.size))"
        if job.parts > 1 { name += "-\(job.parts)parts" }
        if concurrency > 1 { name += "-x\(concurrency)" }
        if job.delay > 0 { name += "-\(ByteSize.format(Int64(job.packet)))-each-\(job.delay)s" }
        if job.rate > 0 { name += "-limit-\(ByteSize.format(job.rate))" }
        return Case(name: name, job: job, server: options.usesTLS ? .tls : .plain, needsFile: true)
      }
    })
}

/// Checks that the server got it all: it answers `{"bytes":N}`.
enum UploadReceipt {
  private struct Answer: Decodable {
    let bytes: Int64
  }

  static func count(_ answer: Data?) throws -> Int64 {
    guard let answer, let receipt = try? JSONDecoder().decode(Answer.self, from: answer) else {
      throw BenchmarkError("the server did not say what it received")
    }
    return receipt.bytes
  }

  /// `bytes`: what the server counted in all uploads of the job together.
  static func check(_ bytes: Int64, for job: Job) throws {
    let least = job.size * Int64(job.parts * job.concurrency)
    guard bytes >= least else { throw BenchmarkError("the server received \(bytes) bytes of \(least)") }
  }
}
