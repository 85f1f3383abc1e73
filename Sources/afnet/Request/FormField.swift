import AFMultipart
import AFSupport
import Foundation

/// A field of `-F`: `NAME=VALUE`, `NAME=@FILE;type=TYPE;filename=NAME`, `NAME=<FILE`.
struct FormField: Sendable, Equatable {
  enum Source: Sendable, Equatable {
    case text(String)
    /// A file to be sent as a file; "-" is standard input.
    case file(path: String)
    /// A file whose content is the value.
    case content(path: String)
  }

  let name: String
  let source: Source
  var type: String?
  var fileName: String?

  init(_ text: String) throws(ToolFailure) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw .usage("a form field is 'NAME=VALUE', not '\(text.prefix(40))'")
    }
    name = String(text[..<equals])
    var value = String(text[text.index(after: equals)...])
    guard let sign = value.first, sign == "@" || sign == "<" else {
      source = .text(value)
      return
    }
    value.removeFirst()
    // From the end, so that a path may hold semicolons.
    while let (rest, key, parameter) = Self.lastParameter(value) {
      if key == "type" { type = type ?? parameter } else { fileName = fileName ?? parameter }
      value = rest
    }
    guard !value.isEmpty else { throw .usage("form field '\(name)' names no file") }
    source = sign == "@" ? .file(path: value) : .content(path: value)
  }

  private static func lastParameter(_ text: String) -> (rest: String, key: String, value: String)? {
    let found = ["type", "filename"].compactMap { key -> (range: Range<String.Index>, key: String)? in
      text.range(of: ";\(key)=", options: .backwards).map { ($0, key) }
    }
    guard let last = found.max(by: { $0.range.lowerBound < $1.range.lowerBound }) else { return nil }
    var value = String(text[last.range.upperBound...])
    if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = String(value.dropFirst().dropLast()) }
    return (String(text[..<last.range.lowerBound]), last.key, value)
  }

  /// Adds the field to a form. Files are looked at now, and read when they are sent.
  func add(to form: AFMultipartForm) throws(ToolFailure) {
    switch source {
    case .text(let text): form.appendPart(withForm: Data(text.utf8), name: name)
    case .content(let path):
      do {
        form.append(
          AFMultipartPart(
            name: name, fileName: fileName, mimeType: type, content: .data(try SmallFile.read(path, limit: 1 << 30))))
      } catch {
        throw ToolFailure(.file, "form field \(name): \(error)")
      }
    case .file("-"):
      let content = AFMultipartContent.pipe(FileHandle.standardInput, length: nil)
      form.append(
        AFMultipartPart(
          name: name, fileName: fileName ?? "stdin", mimeType: type ?? MIMEType.octetStream, content: content))
    case .file(let path):
      let url = URL(fileURLWithPath: path)
      do throws(AFMultipartError) {
        form.append(
          AFMultipartPart(
            name: name, fileName: fileName ?? url.lastPathComponent,
            mimeType: type ?? MIMEType.forExtension(url.pathExtension), content: try .file(url)))
      } catch {
        throw ToolFailure(.file, "form field \(name): \(error)")
      }
    }
  }
}
