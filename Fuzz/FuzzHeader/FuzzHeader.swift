internal import AFSerialization
internal import Foundation
internal import FoundationNetworking
internal import FuzzSupport

/// A header is sent as it is given, or the request is refused; CR, LF and NUL never get through, nor does a name or method
/// that is no token.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHeader(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let (method, name, value) = (input.text(), input.text(), input.text())
  let serializer = AFHTTPRequestSerializer()
  serializer.setValue(value, forHTTPHeaderField: name)
  demand(serializer.value(forHTTPHeaderField: name.uppercased()) == value || !name.utf8.allSatisfy { $0 < 128 }, "lost")
  do {
    let request = try serializer.request(withMethod: method, urlString: "http://h/", parameters: nil)
    for text in [method, name] {
      demand(!text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 58 }, "not a token: \(text)")
    }
    demand(!value.utf8.contains { [0, 10, 13].contains($0) }, "a line break got through")
    // Foundation writes the common methods in upper case.
    demand(request.httpMethod?.uppercased() == method.uppercased(), "the method changed")
    demand(request.value(forHTTPHeaderField: name) == value, "the value changed")
  } catch {
    demand(error is AFURLRequestSerializationError, "\(error)")
  }
  return 0
}
