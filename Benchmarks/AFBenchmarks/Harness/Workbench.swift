import AFSupport
import Foundation

/// What the cases of a run share: a directory for files, the certificates, the servers, and the file that is sent.
final class Workbench {
  /// Removed, with all in it, at the end.
  let directory: String
  private let pinsProcessors: Bool
  private let isDirectoryGiven: Bool
  private var servers: [ServerKind: LocalServer] = [:]
  private var certificates: BenchmarkCertificates?
  private var files: [Int64: String] = [:]
  /// Where downloads go: into memory if there is room, so that no disk is measured.
  private var downloadDirectory: String?

  init(options: Options) throws {
    pinsProcessors = options.pinsProcessors
    isDirectoryGiven = options.directory != nil
    let parent = options.directory ?? NSTemporaryDirectory()
    directory = URL(fileURLWithPath: parent).appendingPathComponent("AFBenchmarks-\(UUID().uuidString)").path
    Leftovers.add(directory: directory)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit {
    servers = [:]
    for path in [downloadDirectory, directory].compactMap({ $0 }) {
      try? FileManager.default.removeItem(atPath: path)
      Leftovers.remove(directory: path)
    }
  }

  var serverIdentifiers: [pid_t] { servers.values.flatMap(\.identifiers) }

  /// The processor for clients, and the one for servers, if they are to stay on one.
  var clientProcessor: Int? { pinsProcessors ? 0 : nil }
  private var serverProcessor: Int? { pinsProcessors ? ProcessInfo.processInfo.processorCount - 1 : nil }

  /// The job of `benchmark` with what it needs made and filled in.
  func prepare(_ benchmark: Case) throws -> Job {
    var job = benchmark.job
    job.directory = directory
    if benchmark.writesFiles, !isDirectoryGiven {
      job.directory = memoryDirectory(for: job.size * Int64(job.concurrency)) ?? directory
    }
    if benchmark.needsFile { job.file = try file(size: job.size) }
    if benchmark.server != .none {
      let server = try server(benchmark.server)
      job.url = server.url + job.url
      if benchmark.server != .plain {
        job.authority = certificates?.authority
        job.allAuthorities = certificates?.allAuthorities
      }
    }
    return job
  }

  /// A directory of ours in /dev/shm, if that has room for twice `bytes`.
  private func memoryDirectory(for bytes: Int64) -> String? {
    var info = statvfs()
    guard statvfs("/dev/shm", &info) == 0, UInt64(info.f_bavail) * UInt64(info.f_frsize) > UInt64(2 * bytes) else {
      return nil
    }
    if let downloadDirectory { return downloadDirectory }
    let path = "/dev/shm/" + URL(fileURLWithPath: directory).lastPathComponent
    Leftovers.add(directory: path)
    guard (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)) != nil else {
      Leftovers.remove(directory: path)
      return nil
    }
    downloadDirectory = path
    return path
  }

  private func server(_ kind: ServerKind) throws -> LocalServer {
    if let server = servers[kind] { return server }
    if kind != .plain, certificates == nil { certificates = try BenchmarkCertificates(in: directory) }
    let server = try LocalServer.start(kind, certificates: certificates, processor: serverProcessor)
    servers[kind] = server
    return server
  }

  /// A file of so many bytes that do not repeat within 1 MiB and cannot be taken for a sparse one. Beyond 4 GiB it is
  /// sparse all the same: what matters then is that memory stays small.
  private func file(size: Int64) throws -> String {
    if let path = files[size] { return path }
    let path = "\(directory)/source-\(size)"
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw POSIXFailure(call: "create", path: path) }
    defer { try? handle.close() }
    if size > 4 << 30 {
      try handle.truncate(atOffset: UInt64(size))
    } else {
      var block = Data(count: 1 << 20)
      var generator = SystemRandomNumberGenerator()
      for index in stride(from: 0, to: block.count, by: 8) {
        withUnsafeBytes(of: generator.next()) { block.replaceSubrange(index..<index + 8, with: $0) }
      }
      var left = size
      while left > 0 {
        try handle.write(contentsOf: block.prefix(Int(min(left, Int64(block.count)))))
        left -= Int64(block.count)
      }
    }
    files[size] = path
    return path
  }
}
