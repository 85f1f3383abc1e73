/// Names one transfer of an engine.
package struct TransferID: Hashable, Sendable {
  package let raw: UInt64
}

/// What other threads ask of the engine's thread. Carried out in the order sent.
enum Command: Sendable {
  case start(TransferID, TransferRequest, any TransferHandler)
  case cancel(TransferID)
  case setSuspended(TransferID, Bool)
  case route(TransferID, ResponseRoute)
  case resumeReceiving(TransferID)
  /// The body's reader may have more.
  case resumeSending(TransferID)
  case setPriority(TransferID, Float)
  /// Take no more transfers and end when those that run are done.
  case finish
  /// Cancel everything and end.
  case stop
}
