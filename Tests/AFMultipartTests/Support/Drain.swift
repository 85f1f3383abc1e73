import AFSupport
import Dispatch
import Foundation

/// Pulls a body to its end as an engine would, waiting where it says so, in reads of at most `readSize`.
func drain(_ reader: any BodyReader, readSize: Int = 64 << 10, within seconds: Double = 10) throws -> Data {
  var body = Data()
  try drain(reader, readSize: readSize, within: seconds) { body.append(contentsOf: $0) }
  return body
}

/// Same, giving each read to a closure.
func drain(
  _ reader: any BodyReader, readSize: Int, within seconds: Double = 10, each: (UnsafeRawBufferPointer) -> Void
) throws {
  let wakeUps = DispatchSemaphore(value: 0)
  reader.setWakeUp { wakeUps.signal() }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readSize, alignment: 16)
  defer { buffer.deallocate() }
  let deadline = MonotonicTime.now + seconds
  while MonotonicTime.now < deadline {
    switch reader.read(into: buffer) {
    case .bytes(let count): each(UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
    case .wait(let moment):
      let until = min(moment ?? deadline, deadline)
      _ = wakeUps.wait(timeout: DispatchTime(uptimeNanoseconds: until.nanoseconds))
    case .end: return
    case .failed(let error): throw error
    }
  }
  throw TimedOut()
}

struct TimedOut: Error {}

/// Reads a stream to its end by its own methods.
func drain(_ stream: InputStream, readSize: Int = 64 << 10) throws -> Data {
  var body = Data()
  var buffer = [UInt8](repeating: 0, count: readSize)
  stream.open()
  let deadline = MonotonicTime.now + 10
  while MonotonicTime.now < deadline {
    let count = stream.read(&buffer, maxLength: readSize)
    if count == 0 { return body }
    guard count > 0 else { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
    body.append(contentsOf: buffer[0..<count])
  }
  throw TimedOut()
}
