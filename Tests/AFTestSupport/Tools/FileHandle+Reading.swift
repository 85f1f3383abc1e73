import AFSupport
package import Foundation

extension FileHandle {
  /// What there is up to the end, such as a program's output. Foundation's own call stops the process when a signal comes
  /// meanwhile (EINTR).
  package func readAll() throws -> Data {
    var data = Data()
    while case let piece = try readPiece(), !piece.isEmpty { data.append(piece) }
    return data
  }

  /// What there is, once there is something; empty at the end.
  package func readPiece() throws -> Data {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(fileDescriptor, &bytes, bytes.count)
      if count >= 0 { return Data(bytes.prefix(count)) }
      guard errno == EINTR else { throw POSIXFailure(call: "read", path: "file descriptor \(fileDescriptor)") }
    }
  }
}
