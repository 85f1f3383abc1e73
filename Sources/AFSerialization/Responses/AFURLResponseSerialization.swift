public import Foundation
public import FoundationNetworking

/// What turns the body of a response into a value.
public protocol AFURLResponseSerialization: NSObjectProtocol, NSSecureCoding, NSCopying, Sendable {
  /// Reads a response. Session managers call it on a queue of theirs, for several responses at a time.
  ///
  /// There can be a value *and* an error, for example when a 422 response has a JSON body that says what was wrong. So look
  /// at the error first.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set if the response is refused or cannot be read.
  /// - Returns: The value; nil if there is none.
  @discardableResult
  func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any?
}
