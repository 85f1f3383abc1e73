package import Foundation
internal import Glibc

extension Data {
  /// `count` bytes that `fill` sets, all of them. Nil where there is no memory for so many: `Data(count:)` ends the process there.
  package static func allocated<Failure: Error>(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Data? {
    guard count > 0 else { return Data() }
    guard let block = malloc(count) else { return nil }
    do throws(Failure) {
      try fill(UnsafeMutableRawBufferPointer(start: block, count: count))
    } catch {
      free(block)
      throw error
    }
    return Data(bytesNoCopy: block, count: count, deallocator: .free)
  }
}
