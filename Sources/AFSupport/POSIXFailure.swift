import Foundation

/// A system call that failed: which one, on what, and why.
package struct POSIXFailure: Error, CustomNSError, LocalizedError, CustomStringConvertible {
  /// The value of `errno`.
  package let code: Int32
  /// The name of the call, such as "open".
  package let call: String
  /// The path it was about, if any.
  package let path: String?

  package init(call: String, path: String? = nil, code: Int32 = errno) {
    self.code = code
    self.call = call
    self.path = path
  }

  package static var errorDomain: String { NSPOSIXErrorDomain }
  package var errorCode: Int { Int(code) }
  package var errorDescription: String? { description }

  package var description: String {
    let reason = String(cString: strerror(code))
    return path.map { "\(call) \($0.printable()): \(reason)" } ?? "\(call): \(reason)"
  }

  package var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description]
    if let path { info[NSFilePathErrorKey] = path }
    return info
  }
}
