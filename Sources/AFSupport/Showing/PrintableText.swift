extension String {
  /// The text as it may be shown on a terminal or written to a log: one line, with everything escaped that moves the cursor,
  /// ends the line, reverses the direction or cannot be seen. What is longer than `limit` characters is cut.
  ///
  /// Every text from outside (names of certificates, header fields, messages of a server) goes through here before it is
  /// shown. The properties that hold such a text have it whole.
  package func printable(limit: Int = 2_000) -> String {
    if utf8.count <= limit, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var result = ""
    for (position, scalar) in unicodeScalars.enumerated() {
      guard position < limit else { return result + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
        result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
