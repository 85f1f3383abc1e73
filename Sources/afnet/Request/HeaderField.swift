import AFArguments
import AFSupport
import Foundation

/// A header field of the command line.
struct HeaderField: Sendable, Equatable {
  let name: String
  let value: String

  init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// `Name: value`.
  init(line: String) throws(ToolFailure) {
    guard let colon = line.firstIndex(of: ":") else {
      throw .usage("a header field is 'NAME:VALUE'; there is no colon in the one that was given")
    }
    name = line[..<colon].trimmingCharacters(in: .whitespaces)
    value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    if let fault = HTTPHeaderValidation.fault(inField: name, value: value) { throw .usage("\(fault)") }
  }

  /// The fields that `-H` gives, those of files among them.
  static func all(_ arguments: Arguments) throws(ToolFailure) -> [HeaderField] {
    var fields: [HeaderField] = []
    for text in arguments.all(.header) {
      guard text.hasPrefix("@") else {
        fields.append(try HeaderField(line: text))
        continue
      }
      let path = String(text.dropFirst())
      let data: Data
      do { data = try SmallFile.read(path, limit: 1 << 20) } catch {
        throw ToolFailure(.file, "the file of header fields cannot be read: \(error)")
      }
      for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
      where !line.allSatisfy(\.isWhitespace) {
        fields.append(try HeaderField(line: String(line)))
      }
    }
    return fields
  }
}
