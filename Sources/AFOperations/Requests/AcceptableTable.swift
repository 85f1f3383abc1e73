import AFSupport
import Foundation

/// What apps have added to the status codes and content types that the operations of a class accept.
enum AcceptableTable {
  struct Added: Sendable {
    var statusCodes = IndexSet()
    var contentTypes: Set<String> = []
  }

  private static let table = Locked<[ObjectIdentifier: Added]>([:])

  static subscript(_ type: AnyClass) -> Added {
    get { table.withLock { $0[ObjectIdentifier(type)] ?? Added() } }
    set { table.withLock { $0[ObjectIdentifier(type)] = newValue } }
  }

  /// All at once, so that two threads may add.
  static func add(to type: AnyClass, _ change: (inout Added) -> Void) {
    table.withLock { change(&$0[ObjectIdentifier(type), default: Added()]) }
  }
}

/// The media types that a request accepts.
enum AcceptHeader {
  /// The types of an Accept field, in lower case and without parameters.
  static func types(_ value: String?) -> Set<String> {
    Set(
      (value ?? "").split(separator: ",").map { entry in
        entry.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
      })
  }
}
