internal import AFSerialization
internal import Foundation
internal import FoundationNetworking
internal import FuzzSupport

private struct Nothing: Decodable {}

/// The typed and the untyped serializer give the same answer about any document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let data = Data("{\"b\":".utf8) + Data(bytes: bytes, count: count) + Data("}".utf8)
  // UTF-16 and UTF-32 are guessed at, by each reader in its own way.
  guard !data.contains(0) else { return 0 }
  let response = response("application/json")
  var untyped: NSError?
  var typed: NSError?
  _ = AFJSONResponseSerializer().responseObject(for: response, data: data, error: &untyped)
  _ = AFDecodableResponseSerializer<Nothing>().responseObject(for: response, data: data, error: &typed)
  demand((untyped == nil) == (typed == nil), "\(String(describing: untyped)) and \(String(describing: typed))")
  return 0
}
