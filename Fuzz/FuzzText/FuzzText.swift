internal import AFSerialization
internal import Foundation
internal import FoundationNetworking
internal import FuzzSupport

/// Any Content-Type and any bytes give a text or a typed error, never both and never neither.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzText(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  // Half of the runs start from a charset that is known.
  let names = [
    "gbk", "shift_jis", "euc-jp", "iso-2022-jp", "big5", "euc-kr", "utf-16", "utf-32", "koi8-r", "windows-1252",
    "windows-1255",
    "windows-1258", "windows-874",
  ]
  let choice = Int(input.byte())
  let type = choice < 128 ? "text/xml;\(input.text())" : "text/plain; charset=\(names[choice % names.count])"
  var error: NSError?
  let value = AFStringResponseSerializer().responseObject(for: response(type), data: input.data(), error: &error)
  demand((value is String) == (error == nil), "a text and an error, or neither")
  demand(error == nil || error is AFURLResponseSerializationError, "\(String(describing: error))")
  return 0
}
