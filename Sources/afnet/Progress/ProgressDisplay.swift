import AFSupport
import Foundation

/// The live lines at the bottom of the terminal, on standard error.
///
/// What a step writes is a value, so that it can be tested: ``Frame``.
final class ProgressDisplay: Sendable {
  /// What has been drawn, and how to draw over it.
  struct Frame {
    /// The widths of the lines that stand there, the cursor at the end of the last.
    private var drawn: [Int] = []

    /// The text that replaces what stands there by `lines`, after `above`, which stays.
    mutating func replace(with lines: [String], above: [String] = [], width: Int) -> String {
      // A terminal that has become narrower has broken the lines: they take more rows now.
      let rows = drawn.reduce(0) { $0 + max(1, ($1 + max(1, width) - 1) / max(1, width)) }
      var text = rows == 0 ? "" : "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
      for line in above { text += line + "\n" }
      text += lines.joined(separator: "\n")
      drawn = lines.map { DisplayWidth.of($0) }
      return text
    }
  }

  private struct State {
    var frame = Frame()
    var rows: [(id: Int, row: ProgressRow)] = []
    var isOver = false
  }

  /// More files than these are counted in a last line.
  private static let maximumRows = 8

  private let state = Locked(State())
  let isLive: Bool

  /// `isLive` is false where standard error is no terminal, or nothing is to be shown.
  init(isLive: Bool) {
    self.isLive = isLive
    if isLive { _ = Interruption.add { [weak self] in self?.clear() } }
  }

  /// Whether lines are drawn here.
  static func isWanted(quiet: Bool) -> Bool {
    Console.isErrorTerminal && !quiet && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Shows a row, or shows it anew.
  func show(_ row: ProgressRow, id: Int) {
    guard isLive else { return }
    state.withLock { state in
      if let index = state.rows.firstIndex(where: { $0.id == id }) {
        state.rows[index].row = row
      } else {
        state.rows.append((id, row))
      }
    }
  }

  /// Draws what is shown.
  func draw() {
    guard isLive else { return }
    state.withLock { draw(&$0) }
  }

  /// Takes a row away and leaves a line in its place, above those that go on.
  func end(id: Int, leaving line: String) {
    guard isLive else { return }
    state.withLock { state in
      state.rows.removeAll { $0.id == id }
      draw(&state, above: [line])
    }
  }

  /// Writes a line above the live ones, or simply writes it.
  func note(_ line: String) {
    guard isLive else { return Console.note(line) }
    state.withLock { draw(&$0, above: [line]) }
  }

  /// Takes the live lines away, for good.
  func clear() {
    guard isLive else { return }
    state.withLock { state in
      state.rows = []
      draw(&state)
      state.isOver = true
    }
  }

  private func draw(_ state: inout State, above: [String] = []) {
    guard !state.isOver else {
      for line in above { Console.note(line) }
      return
    }
    // One column stays free: a line that fills the last one is broken by some terminals.
    let width = max(1, (TerminalSize.columns(of: STDERR_FILENO) ?? 80) - 1)
    var lines = state.rows.prefix(Self.maximumRows).map { $0.row.line(width: width) }
    let more = state.rows.count - lines.count
    if more > 0 { lines.append(DisplayWidth.fitted("and \(more) more", to: width)) }
    let text = state.frame.replace(with: lines, above: above, width: width + 1)
    _ = Array(text.utf8).withUnsafeBytes { Console.write($0, to: STDERR_FILENO) }
  }
}
