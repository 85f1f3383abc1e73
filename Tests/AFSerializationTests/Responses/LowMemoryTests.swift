import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import FoundationXML
import Testing

/// Memory that ends: a document is read whole, or there is an error that says so. Each in a process of its own.
@Suite struct LowMemoryTests {
  private static let count = 200_000

  /// What is read, and how: each becomes far larger than it is.
  private static func read(_ name: String) -> (Data, AFHTTPResponseSerializer, String) {
    func repeated(_ piece: String, _ head: String, _ tail: String) -> Data {
      Data((head + String(repeating: piece, count: count) + tail).utf8)
    }
    let plain = String(repeating: "plain text", count: 10)
    switch name {
    case "JSON of objects": return (repeated(#"{"a":1},"#, "[", "1]"), AFJSONResponseSerializer(), "application/json")
    case "JSON of numbers": return (repeated("1,", "[", "1]"), AFJSONResponseSerializer(), "application/json")
    case "decodable JSON":
      return (repeated("1,", "[", "1]"), AFDecodableResponseSerializer<[Int]>(), "application/json")
    case "property list":
      let list = repeated("<true/>", "<plist><array>", "</array></plist>")
      return (list, AFPropertyListResponseSerializer(), "application/x-plist")
    case "XML": return (repeated("<a/>", "<r>", "</r>"), AFXMLDocumentResponseSerializer(), "text/xml")
    case "text": return (repeated(plain, "", ""), AFStringResponseSerializer(), "text/plain; charset=utf-8")
    default:
      return (repeated(plain, "", ""), AFStringResponseSerializer(), "text/plain; charset=shift_jis")
    }
  }

  private static let names = [
    "JSON of objects", "JSON of numbers", "decodable JSON", "property list", "XML", "text", "text in Shift_JIS",
  ]

  /// 0: it was read; 1: there was an error that names memory; anything else is wrong.
  private static func outcome(_ name: String, _ document: (Data, AFHTTPResponseSerializer, String)) -> Int32 {
    let (data, serializer, type) = document
    guard let url = URL(string: "http://h/"),
      let response = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": type])
    else { return 2 }
    var error: NSError?
    let value = serializer.responseObject(for: response, data: data, error: &error)
    if let error { return error.localizedDescription.contains("memory") && value == nil ? 1 : 3 }
    let isWhole =
      switch value {
      case let list as [Any]: list.count >= count
      case let text as String: text.utf8.count == data.count
      case let document as XMLDocument: document.rootElement()?.childCount == count
      default: false
      }
    return isWhole ? 0 : 4
  }

  @Test(arguments: names) func `a document for which there is no room is an error`(_ name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      guard !ProcessSnapshot.isSanitized else { return }
      let document = LowMemoryTests.read(name)
      guard LowMemoryTests.outcome(name, document) == 0 else { exit(10) }
      // With so little that it is refused, and then with more and more, until it is read.
      guard FailingMemory.limitAddressSpace(more: 2 << 20), LowMemoryTests.outcome(name, document) == 1 else {
        exit(11)
      }
      for more in [8, 32, 128, 512, 2048] {
        guard FailingMemory.limitAddressSpace(more: more << 20) else { exit(12) }
        let outcome = LowMemoryTests.outcome(name, document)
        if outcome == 0 { exit(0) }
        guard outcome == 1 else { exit(13) }
      }
      exit(14)
    }
  }

  @Test(.enabled(if: FailingMemory.isPreloaded, "Scripts/test preloads what is needed"), arguments: names)
  func `an allocator that refuses makes an error`(_ name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      let document = LowMemoryTests.read(name)
      guard LowMemoryTests.outcome(name, document) == 0 else { exit(10) }
      for bytes in [MemoryRoom.small + 1, 4 << 20, 64 << 20] {
        let outcome = await FailingMemory.run(from: bytes) { LowMemoryTests.outcome(name, document) }
        guard outcome == 0 || outcome == 1 else { exit(11) }
        guard outcome == 1 || FailingMemory.counted == 0 else { exit(12) }
      }
      exit(0)
    }
  }
}
