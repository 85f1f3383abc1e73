import AFCore
import AFSupport
import Foundation
import FoundationNetworking

/// Writes an answer to standard output: as it came into a pipe, safe and laid out on a terminal.
struct AnswerWriter {
  let style: AnswerStyle
  /// What is gathered to be laid out at the end.
  private var gathered: Data?
  private var terminal = TerminalText()
  private var hasBegun = false
  private var isSkipping = false
  private var endsLine = true
  private let contentType: String?

  init(_ style: AnswerStyle, contentType: String?) {
    self.style = style
    self.contentType = contentType
    if style.laysOutJSON, AnswerStyle.isJSON(contentType) { gathered = Data() }
  }

  mutating func write(_ piece: Data) throws(ToolFailure) {
    if var data = gathered {
      gathered = nil
      data.append(piece)
      if data.count <= AnswerStyle.layoutLimit {
        gathered = data
      } else {
        try show(data)
      }
      return
    }
    try show(piece)
  }

  mutating func finish() throws(ToolFailure) {
    if let data = gathered {
      if let text = JSONLayout.text(data, colours: style.hasColours) {
        try Console.print(text)
      } else {
        try show(data)
      }
    }
    guard style.isGuarded, !isSkipping else { return }
    try put(terminal.finish())
    if !endsLine { try Console.print("") }
  }

  private mutating func show(_ data: Data) throws(ToolFailure) {
    guard style.isGuarded else { return try Console.write(data) }
    if !hasBegun, TerminalText.looksBinary(data) {
      isSkipping = true
      let type = contentType.map { " (\($0.printable(limit: 80)))" } ?? ""
      Console.note(
        "The body is binary\(type) and not shown. 'afnet download' saves it, a pipe gets it as it is, --raw shows it.")
    }
    hasBegun = true
    if !isSkipping { try put(terminal.add(data)) }
  }

  private mutating func put(_ text: String) throws(ToolFailure) {
    guard let last = text.last else { return }
    endsLine = last.isNewline
    try Console.write(Array(text.utf8))
  }

  /// Status line and header fields, by name.
  static func head(_ response: HTTPURLResponse, style: AnswerStyle) -> String {
    let fields = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }.sorted {
      $0.0.lowercased() < $1.0.lowercased()
    }
    let reason = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
    let lines = ["\(response.statusCode) \(reason)"] + fields.map { "\($0.0): \($0.1)" }
    return lines.map { (style.isGuarded ? $0.printable(limit: 8_000) : $0) + "\n" }.joined()
  }
}
