public import Foundation

/// A server that was answered by the scheme Digest gave a proof that it knows the password too (`rspauth`, RFC 7616 §3.5), and the
/// proof is wrong. It is the underlying error of a `URLError` with the code `badServerResponse`.
public struct AFDigestProofError: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
  init() {}

  /// What is wrong.
  public var description: String { "The server's proof that it knows the password (rspauth) is wrong" }

  /// ``description``.
  public var errorDescription: String? { description }

  func urlError(_ url: String) -> URLError {
    URLError.make(.badServerResponse, url: url, description, underlying: self)
  }
}
