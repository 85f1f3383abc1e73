import Foundation

/// Credentials that systemd hands to a service: files in `$CREDENTIALS_DIRECTORY` (systemd.exec(5), LoadCredential=).
enum SystemCredential {
  /// The value of `Authorization`: the file's text, or the text as a bearer token if it is one word. nil if there is no such file.
  static func value(_ name: String) -> String? {
    guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], AFTransferRequest.isName(name),
      let data = FileManager.default.contents(atPath: "\(folder)/\(name)"), data.count <= 64 << 10
    else { return nil }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
    return text.contains(" ") ? text : "Bearer \(text)"
  }
}
