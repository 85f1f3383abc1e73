/// `text` as a C string, or null.
func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) throws -> Result) rethrows -> Result {
  guard let text else { return try body(nil) }
  return try text.withCString(body)
}
