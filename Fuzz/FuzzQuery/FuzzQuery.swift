internal import AFSerialization
internal import Foundation
internal import FoundationNetworking
internal import FuzzSupport

/// Any parameters become an ASCII query that a URL takes, or a typed error; escaped text comes back as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQuery(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let serializer = AFHTTPRequestSerializer()
  let choice = input.byte()
  serializer.queryStringEncoding = AFQueryStringEncoding(
    arrays: [.brackets, .repeatedKey, .indices][Int(choice % 3)], booleans: choice & 4 == 0 ? .numeric : .literal,
    spaces: choice & 8 == 0 ? .percentEscaped : .plus)
  let text = input.text()
  demand(AFPercentEscapedStringFromString(text).removingPercentEncoding == text, "escaping changed \(text)")
  var parameters: [String: Any] = [:]
  while !input.isEmpty { parameters[input.text()] = value(&input, depth: 0) }
  do {
    let request = try serializer.request(withMethod: "POST", urlString: "http://h/p", parameters: parameters)
    let body = request.httpBody ?? Data()
    demand(body.allSatisfy { $0 < 128 }, "the body is not ASCII")
    let query = try serializer.request(withMethod: "GET", urlString: "http://h/p#f", parameters: parameters).url
    demand(query?.fragment == "f", "the fragment is lost")
    demand(Data((query?.query ?? "").utf8) == body, "query and body differ")
  } catch {
    demand(error is AFURLRequestSerializationError, "\(error)")
  }
  return 0
}

private func value(_ input: inout FuzzInput, depth: Int) -> Any {
  switch input.byte() % (depth < 600 ? 10 : 6) {
  case 0: NSNull()
  case 1: input.text()
  case 2: Int(input.byte()) - 128
  case 3: Double(input.byte()) / 7
  case 4: input.byte() & 1 == 0
  case 5: NSString(string: input.text())
  case 6: [value(&input, depth: depth + 1), value(&input, depth: depth + 1)]
  case 7: [input.text(): value(&input, depth: depth + 1)]
  case 8: NSArray(array: [value(&input, depth: depth + 1)])
  default: Set([input.text(), input.text()])
  }
}
