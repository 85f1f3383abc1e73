internal import AFCore
internal import AFSupport
internal import Foundation
internal import FuzzSupport

/// Whatever a Location holds, what comes out is an absolute http(s) URL that every parser reads alike, with an origin, without user
/// information and dot segments; read again, it stays as it is.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzLocation(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let location = Array(UnsafeBufferPointer(start: bytes, count: count))
  for base in ["http://h/a/b;p?q", "https://[::1]:8443", "http://u:p@h:81/a/c?x#f", "https://h?q"] {
    guard let target = Location.target(location, from: base) else { continue }
    demand(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "not ASCII: \(target)")
    guard let origin = Origin(url: target) else { fatalError("no origin: \(target)") }
    guard let url = URL(string: target) else { fatalError("no URL: \(target)") }
    demand(url.absoluteString == target, "Foundation changed \(target) to \(url.absoluteString)")
    demand(url.user == nil && url.password == nil, "a user is left in \(target)")
    let host = url.host(percentEncoded: false) ?? ""
    demand(host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")) == origin.host, "two hosts in \(target)")
    let again = Location.target(Array(target.utf8), from: "http://other/")
    demand(again == target, "\(target) became \(again ?? "nil")")
  }
  return 0
}
