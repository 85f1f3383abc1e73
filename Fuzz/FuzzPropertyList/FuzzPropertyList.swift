internal import AFSerialization
internal import Foundation
internal import FoundationNetworking
internal import FuzzSupport

/// Any bytes give a property list or an error, never both, in memory and time that the guard bounds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPropertyList(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let data = Data(bytes: bytes, count: count)
  let response = response("application/x-plist")
  // The binary form is the one with references: every second input gets its first bytes.
  for body in [data, Data("bplist00".utf8) + data] {
    var error: NSError?
    let value = AFPropertyListResponseSerializer().responseObject(for: response, data: body, error: &error)
    demand(value == nil || error == nil, "a value and an error")
  }
  return 0
}
