/// The line that separates the parts of one form.
struct Boundary: Sendable {
  let text: String

  /// A random boundary. A constant one could be guessed, and a part's content could then end its part.
  init() {
    func digits() -> String {
      let text = String(UInt32.random(in: 0...UInt32.max), radix: 16, uppercase: true)
      return String(repeating: "0", count: 8 - text.count) + text
    }
    text = "Boundary+" + digits() + digits()
  }

  init(text: String) {
    self.text = text
  }

  /// What stands before a part: the first one has no line break to end what came before.
  func delimiter(isFirst: Bool) -> String {
    (isFirst ? "" : "\r\n") + "--" + text + "\r\n"
  }

  /// What ends the body. A form without parts is this alone.
  func closing(isFirst: Bool) -> String {
    (isFirst ? "" : "\r\n") + "--" + text + "--\r\n"
  }
}
