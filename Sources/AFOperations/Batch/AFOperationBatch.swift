import AFSupport
import Foundation

/// Operations that were enqueued together, and their results as they come.
///
///     let batch = client.batch(of: requests)
///     for await outcome in batch { print(outcome.index, outcome.operation.responseObject ?? "nothing") }
///     let inOrder = await batch.outcomes()
///
/// Each iteration gives every result, in the order in which the operations finished, also those that finished before it began. A
/// failure is a result like any other. Cancelling the Swift task that iterates cancels the operations that have not finished;
/// letting the batch go does not.
public struct AFOperationBatch: AsyncSequence, Sendable {
  /// How one operation ended.
  public struct Element: Sendable {
    /// The operation's place in the batch.
    public let index: Int
    /// The operation: finished, or cancelled before its queue has started it.
    public let operation: AFHTTPRequestOperation

    /// Why it failed; nil if it did not.
    public var error: (any Error)? { operation.error ?? operation.cancellation }
    /// What its response serializer made of the body.
    public var value: Any? { operation.responseObject }
  }

  /// Never thrown.
  public typealias Failure = Never

  /// The operations, in the order of the requests.
  public let operations: [AFHTTPRequestOperation]
  private let record: Record

  init(_ operations: [AFHTTPRequestOperation]) {
    self.operations = operations
    let record = Record(count: operations.count)
    self.record = record
    for (index, operation) in operations.enumerated() {
      operation.whenFinished { [unowned operation] in record.add(Element(index: index, operation: operation)) }
    }
  }

  /// Cancels the operations that have not finished.
  public func cancel() {
    for operation in operations { operation.cancel() }
  }

  /// Waits for all, and gives the results in the order of the requests.
  public func outcomes() async -> [Element] {
    var all: [Element] = []
    all.reserveCapacity(operations.count)
    for await element in self { all.append(element) }
    return all.sorted { $0.index < $1.index }
  }

  /// An iterator over the results, in the order in which they come.
  public func makeAsyncIterator() -> Iterator { Iterator(batch: self, record: record) }

  /// An iterator over the results of a batch.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let batch: AFOperationBatch
    fileprivate let record: Record
    private var position = 0

    fileprivate init(batch: AFOperationBatch, record: Record) {
      self.batch = batch
      self.record = record
    }

    /// The next result, or nil when all have been given.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      let index = position
      position += 1
      return await withTaskCancellationHandler {
        await record.element(at: index)
      } onCancel: { [batch, record] in
        batch.cancel()
        // Their queue may be suspended: the caller does not wait for it.
        for (index, operation) in batch.operations.enumerated() where operation.isWaiting {
          record.add(Element(index: index, operation: operation))
        }
      }
    }

    /// The next result, or nil when all have been given.
    public mutating func next() async -> Element? { await next(isolation: #isolation) }
  }

  /// The results so far, and who waits for more.
  fileprivate final class Record: Sendable {
    private struct State {
      var elements: [Element] = []
      var given: Set<Int> = []
      var waiting: [Int: [CheckedContinuation<Element?, Never>]] = [:]
    }

    private let count: Int
    private let state = Locked(State())

    init(count: Int) { self.count = count }

    func add(_ element: Element) {
      let waiting = state.withLock { state -> [CheckedContinuation<Element?, Never>] in
        guard state.given.insert(element.index).inserted else { return [] }
        state.elements.append(element)
        return state.waiting.removeValue(forKey: state.elements.count - 1) ?? []
      }
      for continuation in waiting { continuation.resume(returning: element) }
    }

    func element(at index: Int) async -> Element? {
      guard index < count else { return nil }
      return await withCheckedContinuation { continuation in
        let element = state.withLock { state -> Element? in
          if index < state.elements.count { return state.elements[index] }
          state.waiting[index, default: []].append(continuation)
          return nil
        }
        if let element { continuation.resume(returning: element) }
      }
    }
  }
}
