import AFSupport

/// Writes one response, with the effects that its faults name at their moments.
final class ResponseWriter {
  private let connection: TestConnection
  private var faults: [TestResponse.Fault]
  private var pace: (bytes: Int, every: Double)?
  private var headCount: Int64 = 0
  private(set) var bodyCount: Int64 = 0
  /// What has not gone out yet: the head waits here for the first bytes of the body.
  private var pending: [UInt8] = []

  init(_ connection: TestConnection, faults: [TestResponse.Fault]) {
    self.connection = connection
    self.faults = faults
  }

  func writeHead(_ bytes: [UInt8]) throws {
    if pace == nil, !faults.contains(where: \.moment.isInHead) {
      pending = bytes
      headCount = Int64(bytes.count)
      return
    }
    try bytes.withUnsafeBytes { bytes in
      try write(bytes, count: &headCount) { .responseHead($0) }
    }
  }

  /// Writes bytes of the body; `frame` bytes around them do not count.
  func writeBody(_ bytes: UnsafeRawBufferPointer, prefix: String = "", suffix: String = "") throws {
    if !prefix.isEmpty { pending += prefix.utf8 }
    if pace == nil, !faults.contains(where: \.moment.isInBody), pending.count + bytes.count <= 16 << 10 {
      pending += bytes
      bodyCount += Int64(bytes.count)
      pending += suffix.utf8
      return
    }
    try flush()
    try write(bytes, count: &bodyCount) { .responseBody($0) }
    if !suffix.isEmpty { pending += suffix.utf8 }
  }

  func finish() throws {
    try flush()
    try perform(at: .responseHead(headCount))
    try perform(at: .responseBody(bodyCount))
    try perform(at: .responseEnd)
  }

  func flush() throws {
    guard !pending.isEmpty else { return }
    defer { pending.removeAll(keepingCapacity: true) }
    try connection.send(pending)
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, count: inout Int64, moment: (Int64) -> TestResponse.Moment
  ) throws {
    var rest = bytes
    try perform(at: moment(count))
    while !rest.isEmpty {
      let isBody = if case .responseBody = moment(0) { true } else { false }
      let next = faults.compactMap { $0.moment.offset(isBody: isBody) }.filter { $0 > count }.min()
      var piece = rest.count
      if let next { piece = min(piece, Int(next - count)) }
      if let pace { piece = min(piece, pace.bytes) }
      try connection.send(UnsafeRawBufferPointer(rebasing: rest[..<piece]))
      count += Int64(piece)
      rest = UnsafeRawBufferPointer(rebasing: rest[piece...])
      try perform(at: moment(count))
      if let pace, !rest.isEmpty { try connection.wait(pace.every) }
    }
  }

  private func perform(at moment: TestResponse.Moment) throws {
    while let index = faults.firstIndex(where: { $0.moment == moment }) {
      try flush()
      let effect = faults.remove(at: index).effect
      if case .drip(let bytes, let every) = effect { pace = (bytes, every) } else { try connection.perform(effect) }
    }
  }
}

extension TestResponse.Moment {
  var isInHead: Bool { offset(isBody: false) != nil }
  var isInBody: Bool { offset(isBody: true) != nil }

  func offset(isBody: Bool) -> Int64? {
    switch self {
    case .responseHead(let offset): isBody ? nil : offset
    case .responseBody(let offset): isBody ? offset : nil
    case .requestBody, .responseEnd: nil
    }
  }
}

/// Where the closure of a `.stream` body writes to.
package final class BodyWriter {
  private let writer: ResponseWriter
  private let connection: TestConnection
  private let isChunked: Bool

  init(_ writer: ResponseWriter, connection: TestConnection, isChunked: Bool) {
    self.writer = writer
    self.connection = connection
    self.isChunked = isChunked
  }

  /// Sends these bytes at once; in a chunked body they make one chunk.
  package func write(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBytes { bytes in
      let size = isChunked ? String(bytes.count, radix: 16) + "\r\n" : ""
      try writer.writeBody(bytes, prefix: size, suffix: isChunked ? "\r\n" : "")
    }
    try writer.flush()
  }

  package func write(_ text: String) throws { try write(Array(text.utf8)) }

  /// Waits so many seconds; ends early, by throwing, when the client goes away.
  package func wait(_ seconds: Double) throws {
    try writer.flush()
    try connection.wait(seconds)
  }

  /// Waits until the test opens the latch.
  package func wait(for latch: Latch) throws {
    try writer.flush()
    try connection.wait(for: latch)
  }

  package func perform(_ effect: TestEffect) throws {
    try writer.flush()
    try connection.perform(effect)
  }
}
