import AFCore
import AFSecurity
import AFSupport
import Foundation
import FoundationNetworking

/// One try at a download: goes on where the synced part ends, if the server proves that it has the same thing.
struct DownloadAttempt: Sendable {
  /// How much is written before it is synced and recorded.
  static let checkpointSize: Int64 = 32 << 20

  let context: AttemptContext
  private var path: String { context.spool.part(context.record.id) }

  func run() async -> AttemptEnd {
    do {
      // A crash may have come between the move and the record.
      if let result = delivered() { return .completed(result) }
      return .completed(try await fetch())
    } catch {
      return .failed(error)
    }
  }

  /// The result if the part is at its destination already, told by its inode.
  private func delivered() -> AFTransferResult? {
    let record = context.record
    var status = stat()
    guard let inode = record.part.inode, stat(path, &status) != 0, stat(record.request.file.path, &status) == 0,
      UInt64(status.st_ino) == inode, record.part.total == nil || record.part.total == Int64(status.st_size)
    else { return nil }
    return AFTransferResult(statusCode: nil, file: record.request.file)
  }

  private func fetch() async throws(AttemptFailure) -> AFTransferResult {
    var part = context.record.part
    let file = try PartFile(path: path, keeping: part.checkpoint)
    part.checkpoint = file.size
    if part.validator == nil { part.checkpoint = 0 }
    part.inode = file.inode
    var request = context.request(context.record.request.url, method: "GET")
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if part.checkpoint > 0, let validator = part.validator {
      request.setValue("bytes=\(part.checkpoint)-", forHTTPHeaderField: "Range")
      request.setValue(validator, forHTTPHeaderField: "If-Range")
    }
    if part.wasWrong { request.setValue("no-cache", forHTTPHeaderField: "Cache-Control") }
    let stream: AFByteStream
    do throws(AFError) { stream = try await context.manager.stream(for: request) } catch {
      throw AttemptFailure(error, hasSent: false, isInterrupted: Task.isCancelled)
    }
    try accept(stream, &part)
    try file.truncate(to: part.checkpoint)
    if let total = part.total, !file.hasRoom(for: total - part.checkpoint) {
      throw AttemptFailure(.diskSpace, "there is no room for \(total - part.checkpoint) bytes")
    }
    let begun = part
    try await learn(begun)
    context.progress.update { values in
      values.completed = begun.checkpoint
      values.total = begun.total
    }
    try await receive(stream, into: file, &part)
    context.progress.update { $0.isFinishing = true }
    try file.synchronize()
    try await checkDigests(stream, file, part)
    let (spool, destination, source) = (context.spool, context.record.request.file, path)
    let failure = await onDisk { () -> AFTransferError? in
      do throws(AFTransferError) {
        try spool.deliver(source, to: destination.path)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw AttemptFailure(.cannotWrite, failure.message) }
    return AFTransferResult(statusCode: stream.statusCode, headers: Self.headers(stream), file: destination)
  }

  private static func headers(_ stream: AFByteStream) -> [String: String] {
    var headers: [String: String] = [:]
    for name in ["Content-Type", "ETag", "Last-Modified"] {
      headers[name] = stream.value(forHTTPHeaderField: name)
    }
    return headers
  }

  /// Says where in the file the answer goes, by `part.checkpoint`.
  private func accept(_ stream: AFByteStream, _ part: inout TransferRecord.Part) throws(AttemptFailure) {
    let tag = stream.value(forHTTPHeaderField: "ETag")
    let strong = tag.flatMap { $0.hasPrefix("W/") || !$0.hasPrefix("\"") ? nil : $0 }
    switch stream.statusCode {
    case 206:
      guard part.checkpoint > 0,
        case .part(let first, let end, let total)? = stream.value(forHTTPHeaderField: "Content-Range")
          .flatMap(ContentRange.init),
        first == part.checkpoint, total == nil || end == total,
        total == nil || part.total == nil || total == part.total,
        strong == nil || strong == part.validator
      else { throw try anew(part, "the server answered with another part than was asked for") }
      part.total = total ?? part.total
    case 200:
      part.checkpoint = 0
      part.validator = strong
      part.total = stream.expectedCount
    case 416: throw try anew(part, "the server has not got the part that was asked for")
    case let status:
      let retryAfter = RetryAfter.seconds(
        stream.value(forHTTPHeaderField: "Retry-After"), date: stream.value(forHTTPHeaderField: "Date"))
      throw AttemptFailure(.status(status), "the server answered with \(status)", retryAfter: retryAfter)
    }
  }

  /// The part is of no use: the next attempt begins at the first byte.
  private func anew(_ part: TransferRecord.Part, _ message: String) throws(AttemptFailure) -> AttemptFailure {
    unlink(path)
    return AttemptFailure(.network, message)
  }

  private func learn(_ part: TransferRecord.Part) async throws(AttemptFailure) {
    do {
      try await context.learn { record in
        record.part = part
        record.completed = part.checkpoint
        record.total = part.total
      }
    } catch {
      throw AttemptFailure(.interrupted, "the store cannot be written to: \(error)")
    }
  }

  private func receive(
    _ stream: AFByteStream, into file: PartFile, _ part: inout TransferRecord.Part
  ) async throws(AttemptFailure) {
    var position = part.checkpoint
    do throws(AttemptFailure) {
      try await receive(stream, into: file, &part, &position)
    } catch {
      // What is there counts, where it can be proved to be a part of the same thing.
      if part.validator != nil, position > part.checkpoint, position <= part.total ?? .max {
        try file.synchronize()
        part.checkpoint = position
        try? await learn(part)
      }
      throw error
    }
    if let total = part.total, position != total {
      throw AttemptFailure(.network, "the server sent \(position) of \(total) bytes")
    }
    part.checkpoint = position
    part.total = position
    try file.synchronize()
    try await learn(part)
  }

  private func receive(
    _ stream: AFByteStream, into file: PartFile, _ part: inout TransferRecord.Part, _ position: inout Int64
  ) async throws(AttemptFailure) {
    var wasAcknowledged = false
    var synced = MonotonicTime.now
    var chunks = stream.chunks.makeAsyncIterator()
    while true {
      let chunk: Data?
      do throws(AFError) { chunk = try await chunks.next() } catch {
        throw AttemptFailure(error, hasSent: false, isInterrupted: Task.isCancelled)
      }
      guard let chunk else { break }
      try file.write(chunk, at: position)
      let (end, isTooLong) = position.addingReportingOverflow(Int64(chunk.count))
      if isTooLong || end > part.total ?? .max {
        throw AttemptFailure(.network, "the server sent more than it announced")
      }
      position = end
      context.progress.update { $0.completed = end }
      if !wasAcknowledged {
        wasAcknowledged = true
        await context.acknowledged()
      }
      if end - part.checkpoint >= Self.checkpointSize || MonotonicTime.now - synced >= 30 {
        try file.synchronize()
        part.checkpoint = end
        synced = .now
        try await learn(part)
      }
    }
  }

  /// The caller's digest wins over all; the server's cover the whole representation (RFC 9530).
  private func checkDigests(_ stream: AFByteStream, _ file: PartFile, _ part: TransferRecord.Part)
    async throws(AttemptFailure)
  {
    let announced = DigestField.sha256(
      reprDigest: stream.value(forHTTPHeaderField: "Repr-Digest"), digest: stream.value(forHTTPHeaderField: "Digest"))
    let expected = context.record.request.expectedSHA256?.lowercased() ?? announced
    guard let expected else { return }
    let found = await onDisk { file.sha256() }
    guard let found else { throw AttemptFailure(.network, "the part cannot be read") }
    guard found != expected else { return }
    unlink(path)
    var anew = TransferRecord.Part()
    anew.wasWrong = true
    try await learn(anew)
    // Once more, past caches; then it is the server's.
    throw AttemptFailure(
      part.wasWrong ? .mismatch : .network,
      "what came has the SHA-256 \(found), and not \(expected.printable(limit: 100))")
  }
}
