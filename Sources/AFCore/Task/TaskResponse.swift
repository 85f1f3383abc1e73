import AFSupport
import Foundation
import FoundationNetworking

/// The response of a task. It suggests a file name as on Apple's systems, where Foundation on Linux says "Unknown" without
/// Content-Disposition, and does not clean what the server says.
final class TaskResponse: HTTPURLResponse, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.

  override var suggestedFilename: String? {
    SafeFilename.suggested(self) ?? url?.host.flatMap(SafeFilename.clean) ?? "download"
  }

  /// Status, URL and header fields, one line each, as they may be shown: without what is secret, and escaped. Foundation's
  /// description has every field as the server sent it.
  override var description: String {
    let url = url?.absoluteString.redactedURL.printable() ?? "none"
    let fields = allHeaderFields.compactMap { name, value -> String? in
      guard let name = name as? String else { return nil }
      let shown = Secrets.isSecretField(name) ? "…" : "\(value)".printable()
      return "  \(name.printable()): \(shown)"
    }
    return (["<HTTPURLResponse: \(statusCode) \(url)>"] + fields.sorted()).joined(separator: "\n")
  }

  /// The same as ``description``.
  override var debugDescription: String { description }

  /// Archived as what users know.
  override var classForCoder: AnyClass { HTTPURLResponse.self }
}
