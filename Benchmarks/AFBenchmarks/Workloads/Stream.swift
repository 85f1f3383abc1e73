import AFMultipart
import AFSupport
import CBenchmarkPeers
import Foundation

extension Workload {
  /// What it costs to make a body, without a network.
  static let stream = Workload(
    name: "stream",
    summary: "read the multipart body of a large file, packet by packet, without a network",
    yardstick: "pread",
    clients: [
      Client(name: "pread", summary: "C: pread into one buffer") { job, meter in
        try measureStream(job, meter) { job in
          try withPeerError { afb_pread_file(job.file, job.packet, $0) }
        }
      },
      Client(name: "AFNetworking", summary: "AFMultipart's body stream: three fields and the file") { job, meter in
        try measureStream(job, meter) { try drain(MultipartSample.makeForm($0).makeBodyStream(), packet: $0.packet) }
      },
      Client(name: "InputStream", summary: "Foundation's InputStream on the file alone") { job, meter in
        try measureStream(job, meter) { job in
          guard let stream = InputStream(fileAtPath: job.file) else { throw BenchmarkError("no file \(job.file)") }
          return try drain(stream, packet: job.packet)
        }
      },
    ],
    cases: { options in
      guard !options.usesTLS else { throw UsageError("stream knows no --tls: it has no network") }
      let packets = options.packets.isEmpty ? [16 << 10, 64 << 10, 256 << 10, 1 << 20] : options.packets
      return packets.map { packet in
        var job = Job()
        job.size = options.fileSize
        job.packet = packet
        return Case(name: "stream-\(ByteSize.format(Int64(packet)))", job: job, needsFile: true)
      }
    })

  /// The file is in the page cache when this runs.
  private static func measureStream(_ job: Job, _ meter: Meter, _ read: (Job) throws -> Int64) throws {
    meter.start()
    let bytes = try read(job)
    meter.stop(units: bytes)
    guard bytes >= job.size else { throw BenchmarkError("only \(bytes) bytes came of \(job.size)") }
  }

  /// Reads a stream to its end into one buffer that is used again, page-aligned as that of the yardstick.
  static func drain(_ stream: InputStream, packet: Int) throws -> Int64 {
    let block = UnsafeMutableRawPointer.allocate(byteCount: packet, alignment: 4096)
    defer { block.deallocate() }
    let buffer = block.bindMemory(to: UInt8.self, capacity: packet)
    stream.open()
    defer { stream.close() }
    var total: Int64 = 0
    while true {
      let count = stream.read(buffer, maxLength: packet)
      guard count > 0 else {
        if count < 0 { throw BenchmarkError("the stream failed after \(total) bytes") }
        return total
      }
      total += Int64(count)
    }
  }
}
