/// An event of an event stream (WHATWG HTML, "Server-sent events").
public struct AFServerSentEvent: Hashable, Sendable {
  /// What kind of event the server says it is; "message" where it says nothing.
  public var type: String
  /// The data. What stood in several `data` lines is joined by LF.
  public var data: String
  /// The last event ID that the server has given, with this event or one before; empty if none.
  public var id: String

  /// An event.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}
