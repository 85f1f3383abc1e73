internal import AFSerialization
internal import Foundation
internal import FoundationXML
internal import FuzzSupport

private final class Listener: NSObject, XMLParserDelegate {}

/// Any bytes give a document with a root, or an error; and a parser that parses them, or an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzXML(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let data = input.data()
  if let parser = AFXMLParserResponseSerializer().responseObject(for: response("text/xml"), data: data, error: nil)
    as? XMLParser
  {
    let delegate = Listener()
    parser.delegate = delegate
    _ = parser.parse()
  }
  var error: NSError?
  let value = AFXMLDocumentResponseSerializer().responseObject(
    for: response("text/xml"), data: data, error: &error)
  demand((value == nil) == (error != nil), "a document and an error, or neither")
  if let document = value as? XMLDocument { demand(document.rootElement() != nil, "a document without a root") }
  return 0
}
