import AFSupport
import Testing

@Suite struct ByteRingTests {
  @Test("What goes in comes out, in order, for every alignment of fills and takes")
  func order() {
    for capacity in [1, 2, 3, 7, 16] {
      var ring = ByteRing(capacity: capacity)
      var written: [UInt8] = []
      var read: [UInt8] = []
      var next: UInt8 = 0
      for step in 0..<500 {
        let offered = (0..<(step * 7 % 11)).map { _ in
          next &+= 1
          return next
        }
        let accepted = offered.withUnsafeBytes { ring.append($0) }
        #expect(accepted <= offered.count)
        written += offered.prefix(accepted)
        // What was not accepted is offered again under the same numbers.
        next &-= UInt8(offered.count - accepted)
        var buffer = [UInt8](repeating: 0, count: step * 5 % 13)
        let taken = buffer.withUnsafeMutableBytes { ring.take(into: $0) }
        read += buffer.prefix(taken)
        #expect(ring.count == written.count - read.count)
        #expect(ring.count + ring.free == capacity)
      }
      #expect(written.starts(with: read))
      #expect(written.count > 100)
    }
  }

  @Test("An emptied ring is as new")
  func removeAll() {
    var ring = ByteRing(capacity: 4)
    _ = [1, 2, 3].withUnsafeBytes { ring.append(UnsafeRawBufferPointer(rebasing: $0[0..<3])) }
    ring.removeAll()
    #expect(ring.isEmpty)
    #expect(ring.free == 4)
    var byte: UInt8 = 9
    #expect(withUnsafeMutableBytes(of: &byte) { ring.take(into: $0) } == 0)
  }
}
