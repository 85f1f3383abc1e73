public import Foundation

/// Where a method that can give a result *and* an error puts the error. Foundation on Linux has no such name.
///
/// Pass nil, or `&error` for a `var error: NSError?`; write through `error?.pointee = …`.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

extension NSErrorPointer {
  /// Runs `body` and returns what it returns; what it throws goes where this pointer points, and the result is nil.
  package func capture<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      self?.pointee = error as NSError
      return nil
    }
  }
}
