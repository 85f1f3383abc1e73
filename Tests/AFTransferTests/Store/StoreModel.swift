@testable import AFTransfer

/// What a store must hold after the lines that a probe has said, in the simplest way that could be right.
struct StoreModel: Equatable {
  var documents: [String: String] = [:]
  var states: [String: String] = [:]
  var endings: Set<String> = []

  init() {}

  init(_ snapshot: StoreSnapshot) {
    for transfer in snapshot.transfers {
      documents[transfer.id] = transfer.document
      states[transfer.id] = transfer.state
    }
    endings = Set(snapshot.endings.map(\.transfer))
  }

  /// Takes one line, such as `! t5 17 update`.
  mutating func apply(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 4 else { return }
    let id = words[1]
    switch words[3] {
    case "acknowledge": endings.remove(id)
    case "end":
      endings.insert(id)
      documents[id] = words[2]
      states[id] = "completed"
    case let operation:
      documents[id] = words[2]
      states[id] = operation == "add" ? "queued" : "running"
    }
  }
}
