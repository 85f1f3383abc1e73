import CBenchmarkPeers
import Foundation

/// `AFBenchmarks serve [CERTIFICATE KEY]`: the server as a process of its own. It prints its port and serves until its
/// standard input ends.
enum ServeCommand {
  static func run(_ arguments: [String]) throws {
    DescriptorLimit.raise()
    let certificate = arguments.count == 2 ? arguments[0] : nil
    let key = arguments.count == 2 ? arguments[1] : nil
    var server: OpaquePointer?
    _ = try withPeerError { error -> Int32 in
      server = afb_server_open(certificate, key, error)
      return server == nil ? -1 : 0
    }
    guard let server else { return }
    defer { afb_server_close(server) }
    print(afb_server_port(server))
    fflush(nil)
    afb_server_run(server, STDIN_FILENO)
  }
}
