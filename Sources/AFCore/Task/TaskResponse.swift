import Foundation
import FoundationNetworking

/// The response of a task. It suggests a file name as on Apple's systems, where Foundation on Linux says "Unknown" without
/// Content-Disposition, and does not clean what the server says.
final class TaskResponse: HTTPURLResponse, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.

  override var suggestedFilename: String? {
    SafeFilename.suggested(self) ?? url?.host.flatMap(SafeFilename.clean) ?? "download"
  }

  /// Archived as what users know.
  override var classForCoder: AnyClass { HTTPURLResponse.self }
}
