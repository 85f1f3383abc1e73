import Foundation

/// A server on this machine, in a process of its own, that lives as long as this object.
final class LocalServer {
  let kind: ServerKind
  /// Such as `https://127.0.0.1:40123`, without a path.
  let url: String
  private let process: ChildProcess
  /// The processes whose processor time is the server's.
  let identifiers: [pid_t]

  private init(kind: ServerKind, url: String, process: ChildProcess, identifiers: [pid_t]) {
    self.kind = kind
    self.url = url
    self.process = process
    self.identifiers = identifiers
  }

  deinit {
    process.stop()
  }

  static func start(_ kind: ServerKind, certificates: BenchmarkCertificates?, processor: Int?) throws -> LocalServer {
    if kind == .http2 { return try startNginx(certificates: certificates, processor: processor) }
    let files = kind == .tls ? certificates.map { [$0.certificate, $0.key] } : nil
    let process = try ChildProcess(
      itself: ["serve"] + (files ?? []), setting: ChildProcess.Setting(processor: processor))
    guard let port = Int(process.firstLine()) else {
      process.stop()
      throw BenchmarkError("the benchmark's server did not start")
    }
    return LocalServer(
      kind: kind, url: "\(kind == .tls ? "https" : "http")://127.0.0.1:\(port)", process: process,
      identifiers: [process.identifier])
  }

  private static func startNginx(certificates: BenchmarkCertificates?, processor: Int?) throws -> LocalServer {
    guard let nginx = Nginx.executable, let certificates else {
      throw BenchmarkError("HTTP/2 needs nginx, which is not installed")
    }
    let port = try Nginx.freePort()
    let configuration = try Nginx.writeConfiguration(port: port, certificates: certificates)
    let process = try ChildProcess(
      nginx, ["-c", configuration, "-e", "stderr"], setting: ChildProcess.Setting(processor: processor))
    guard Nginx.waitUntilListening(port: port, process: process) else {
      process.stop()
      throw BenchmarkError("nginx did not start on port \(port)")
    }
    return LocalServer(
      kind: .http2, url: "https://127.0.0.1:\(port)", process: process, identifiers: [process.identifier])
  }
}
