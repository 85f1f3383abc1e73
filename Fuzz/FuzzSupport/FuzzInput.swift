package import Foundation
package import FoundationNetworking

/// The bytes of one run, taken from the front: what they do not hold is zero or empty.
package struct FuzzInput {
  private var rest: UnsafeBufferPointer<UInt8>.SubSequence

  package init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    rest = UnsafeBufferPointer(start: bytes, count: count)[...]
  }

  package var isEmpty: Bool { rest.isEmpty }

  package mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Text of up to 255 bytes, whose length comes first. What is no UTF-8 is replaced.
  package mutating func text() -> String {
    let count = min(Int(byte()), rest.count)
    defer { rest = rest.dropFirst(count) }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }

  /// Everything that is left.
  package mutating func data() -> Data {
    defer { rest = rest.dropFirst(rest.count) }
    return Data(rest)
  }
}

/// Stops the run, which libFuzzer takes for a finding.
package func demand(_ condition: Bool, _ what: @autoclosure () -> String) {
  guard condition else { fatalError(what()) }
}

package func response(_ contentType: String) -> HTTPURLResponse {
  guard let url = URL(string: "http://example.com/"),
    let response = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": contentType])
  else { fatalError("no response") }
  return response
}
