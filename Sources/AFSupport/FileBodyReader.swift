import CLinux
import Dispatch
package import Foundation

/// Why a file cannot be the body, or the part of a body, that it was meant to be.
package enum FileBodyError: Error, CustomStringConvertible {
  case notRegular(path: String)
  case outOfRange(path: String, offset: Int64, length: Int64, size: Int64)
  /// The file had `expected` bytes when the request was made, and now ends after `actual`.
  case shrank(path: String, expected: Int64, actual: Int64)
  /// The file system does not tell the file's length, as in /proc, and it has more than `limit` bytes.
  case unknownLength(path: String, limit: Int)

  package var description: String { text.printable() }

  private var text: String {
    switch self {
    case .notRegular(let path): "\(path) is not a regular file"
    case .outOfRange(let path, let offset, let length, let size):
      "\(path) has \(size) bytes; \(length) from offset \(offset) were asked for"
    case .shrank(let path, let expected, let actual):
      "\(path) had \(expected) bytes when the request was made and ended after \(actual) while it was sent"
    case .unknownLength(let path, let limit):
      "\(path) is of a file system that does not tell its length, and has more than \(limit) bytes"
    }
  }
}

/// A regular file, or a range of one, as a body that never blocks the thread that pulls it.
///
/// What the page cache holds is read straight into the caller's buffer (`preadv2` with `RWF_NOWAIT`), without a copy or a
/// thread hop. What it does not hold is fetched by a queue, which then wakes the caller up; the file system that does not
/// know `RWF_NOWAIT` is served by that queue alone. A file whose size the file system does not tell is read when it is opened.
package final class FileBodyReader: BodyReader {
  package let path: String
  package let contentLength: Int64?
  package var isReplayable: Bool { true }

  private let start: Int64
  private let end: Int64
  private let state: Locked<State>
  /// What was read at once because the file system did not tell how much it is, from the file's beginning.
  private let content: [UInt8]?

  private struct State {
    var descriptor: Int32
    var position: Int64
    var readAhead: [UInt8] = []
    var readAheadOffset = 0
    var isFetching = false
    /// Counts rewinds, so that a fetch begun before one is not taken for the present one.
    var generation = 0
    var failure: (any Error)?
    var supportsNoWait = true
    var wakeUp: (@Sendable () -> Void)?
  }

  private static let readAheadSize = 256 << 10

  /// Opens the file. `length` nil means up to the end that the file has now.
  /// - Throws: ``POSIXFailure`` if it cannot be opened, ``FileBodyError`` if it is not a regular file or too short.
  package convenience init(path: String, offset: Int64 = 0, length: Int64? = nil) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    try self.init(owning: descriptor, path: path, offset: offset, length: length)
  }

  /// Reads an open file, by a duplicate of its descriptor and without moving its position. `path` names it in errors.
  /// - Throws: As the other initializer.
  package convenience init(duplicating descriptor: Int32, path: String, offset: Int64, length: Int64?) throws {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { throw POSIXFailure(call: "dup", path: path) }
    try self.init(owning: duplicate, path: path, offset: offset, length: length)
  }

  private init(owning descriptor: Int32, path: String, offset: Int64, length: Int64?) throws {
    do {
      var info = stat()
      guard fstat(descriptor, &info) == 0 else { throw POSIXFailure(call: "stat", path: path) }
      guard info.st_mode & S_IFMT == S_IFREG else { throw FileBodyError.notRegular(path: path) }
      content = try Self.content(of: descriptor, info, path)
      let size = content.map { Int64($0.count) } ?? Int64(info.st_size)
      let count = length ?? max(0, size - offset)
      guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
        throw FileBodyError.outOfRange(path: path, offset: offset, length: count, size: size)
      }
      self.path = path
      contentLength = count
      start = offset
      end = offset + count
      state = Locked(State(descriptor: descriptor, position: offset))
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// All that is to be sent, where it had to be read to know how much it is.
  package var gathered: Data? { content.map { Data($0[Int(start)..<Int(end)]) } }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  package func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {
    state.withLock { $0.wakeUp = wakeUp }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    state.withLock { state in
      if let failure = state.failure { return .failed(failure) }
      guard state.position < end else { return .end }
      if let content {
        let count = min(buffer.count, Int(end - state.position))
        content.withUnsafeBytes { bytes in
          let first = Int(state.position)
          buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first..<first + count]))
        }
        state.position += Int64(count)
        return .bytes(count)
      }
      if state.readAheadOffset < state.readAhead.count {
        return .bytes(takeReadAhead(&state, into: buffer))
      }
      guard !state.isFetching else { return .wait(until: nil) }
      let wanted = min(Int64(buffer.count), end - state.position)
      if state.supportsNoWait {
        let count = af_pread_nowait(state.descriptor, buffer.baseAddress, Int(wanted), state.position)
        if count > 0 {
          state.position += Int64(count)
          return .bytes(count)
        }
        if count == 0 { return fail(&state) }
        switch errno {
        case EAGAIN, EINTR: break
        case EOPNOTSUPP, EINVAL, ENOSYS: state.supportsNoWait = false
        default:
          let failure = POSIXFailure(call: "read", path: path)
          state.failure = failure
          return .failed(failure)
        }
      }
      state.isFetching = true
      let generation = state.generation
      DispatchQueue.global(qos: .userInitiated).async { self.fetch(generation: generation) }
      return .wait(until: nil)
    }
  }

  package func rewind() throws {
    state.withLock { state in
      state.position = start
      state.readAhead = []
      state.readAheadOffset = 0
      state.isFetching = false
      state.generation += 1
      state.failure = nil
    }
  }

  package func close() {
    state.withLock { $0.wakeUp = nil }
  }

  private func takeReadAhead(_ state: inout State, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, state.readAhead.count - state.readAheadOffset)
    state.readAhead.withUnsafeBytes { bytes in
      let range = state.readAheadOffset..<state.readAheadOffset + count
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
    state.readAheadOffset += count
    state.position += Int64(count)
    if state.readAheadOffset == state.readAhead.count {
      state.readAhead = []
      state.readAheadOffset = 0
    }
    return count
  }

  private func fail(_ state: inout State) -> BodyPull {
    let failure = FileBodyError.shrank(path: path, expected: end - start, actual: state.position - start)
    state.failure = failure
    return .failed(failure)
  }

  /// Runs on a queue: the one place where this class may block.
  private func fetch(generation: Int) {
    let (descriptor, position) = state.withLock { ($0.descriptor, $0.position) }
    let wanted = Int(min(Int64(Self.readAheadSize), end - position))
    var count = 0
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
      repeat { count = pread(descriptor, buffer.baseAddress, wanted, Int(position)) } while count < 0 && errno == EINTR
      code = errno
      initialized = max(0, count)
    }
    let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.generation == generation else { return nil }
      state.isFetching = false
      if count > 0 {
        state.readAhead = bytes
      } else if count == 0 {
        _ = fail(&state)
      } else {
        state.failure = POSIXFailure(call: "read", path: path, code: code)
      }
      return state.wakeUp
    }
    wakeUp?()
  }
}
