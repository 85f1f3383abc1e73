import AFSupport
public import Foundation

/// Why a stream of lines or events cannot be read on. It is the cause of an ``AFError``.
public enum AFStreamError: Error, Hashable, Sendable {
  /// A line has more bytes than the limit that the caller set.
  case lineTooLong(limit: Int)
  /// The data of one event has more bytes than the limit that the caller set.
  case eventTooLarge(limit: Int)
  /// A line, counted from 1, is not the JSON that was asked for. The text says why, without the line's content.
  case undecodableLine(number: Int, reason: String)
  /// The server answered with a content type that is not `text/event-stream`.
  case notAnEventStream(contentType: String?)
}

extension AFStreamError: LocalizedError, CustomStringConvertible {
  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// One sentence: what is wrong.
  public var description: String {
    switch self {
    case .lineTooLong(let limit): "A line of the response is longer than \(limit) bytes"
    case .eventTooLarge(let limit): "An event of the response is larger than \(limit) bytes"
    case .undecodableLine(let number, let reason):
      "Line \(number) of the response cannot be decoded: \(reason.printable(limit: 200))"
    case .notAnEventStream(let type?): "The response is no event stream but \(type.printable(limit: 100))"
    case .notAnEventStream(nil): "The response is no event stream: it has no content type"
    }
  }
}
