public import Foundation

extension AFURLConnectionOperation {
  /// Binds operations together: tells how many have finished, and when all have.
  ///
  /// Nothing is started: add what is returned to a queue. A failed or cancelled operation counts as finished.
  /// - Parameters:
  ///   - operations: The operations.
  ///   - progressBlock: Told how many have finished, of how many, after each one's completion block, and on its queue for success
  ///     blocks. The counts rise by one; where all have the same queue, they come in order.
  ///   - completionBlock: Called once on the main queue, after the last progress block, with the operations in the order in which they
  ///     were given.
  /// - Returns: The operations, and one more that depends on them.
  @preconcurrency @discardableResult
  public class func batch(
    of operations: [AFURLConnectionOperation], progressBlock: (@Sendable (UInt, UInt) -> Void)?,
    completionBlock: (@Sendable ([AFURLConnectionOperation]) -> Void)?
  ) -> [Operation] {
    let waiting = OperationBatch.waiting(for: operations, progress: progressBlock) { completionBlock?(operations) }
    return operations + [waiting]
  }
}
