import AFSupport
import Foundation

/// nginx, which answers over HTTP/2. One process, without master and workers, so that its processor time is in one place.
enum Nginx {
  static var executable: String? {
    ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// A port that is free now: nginx cannot be told to choose one and say which.
  static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXFailure(call: "socket") }
    defer { close(descriptor) }
    var address = loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    guard result == 0 else { throw POSIXFailure(call: "bind") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  static func writeConfiguration(port: Int, certificates: BenchmarkCertificates) throws -> String {
    let directory = certificates.directory
    let body = #"{"id":"b1946ac9-2492-4d23-8b6f-3c9d5e7f0a12","name":"Ada Lovelace","email":"ada@example.org"}"#
    let text = """
      daemon off; master_process off; pid \(directory)/nginx.pid; error_log stderr error;
      events { worker_connections 4096; }
      http {
        access_log off; client_body_temp_path \(directory); proxy_temp_path \(directory);
        fastcgi_temp_path \(directory); uwsgi_temp_path \(directory); scgi_temp_path \(directory);
        keepalive_requests 100000000; http2_max_concurrent_streams 1024;
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(certificates.certificate); ssl_certificate_key \(certificates.key);
          location /json { default_type application/json; return 200 '\(body)'; }
        }
      }
      """
    let path = "\(directory)/nginx.conf"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  static func waitUntilListening(port: Int, process: ChildProcess) -> Bool {
    let deadline = MonotonicTime.now + 5
    while MonotonicTime.now < deadline, process.isRunning {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = loopback(port: UInt16(port))
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
      }
      if result == 0 { return true }
      usleep(10_000)
    }
    return false
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
