import AFSupport
import Foundation

/// How tasks ended, a line for each moment and fault.
struct FaultTable {
  let version: FaultProtocol
  var words: [String: String] = [:]

  init(_ version: FaultProtocol) { self.version = version }

  var text: String {
    var rows: [[String]] = [["\(version.rawValue):", ""] + FaultedTask.allCases.map(\.rawValue)]
    for moment in FaultMoment.allCases {
      for fault in Fault.allCases {
        let cells = FaultedTask.allCases.map { task in
          let cell = FaultCell(version: version, moment: moment, fault: fault, task: task)
          return cell.absence.map { "n/a \($0.rawValue)" } ?? words[cell.name] ?? "not run"
        }
        rows.append([moment.rawValue, fault.rawValue] + cells)
      }
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
    }
    let legend = FaultAbsence.allCases.map { "n/a \($0.rawValue): \($0.reason)" }
    return (lines + legend).joined(separator: "\n") + "\n"
  }

  /// Prints `text` when this process, and so the run of the tests, is over.
  static func printAtExit(_ text: String) {
    let isFirst = tables.withLock { tables in
      tables.append(text)
      return tables.count == 1
    }
    guard isFirst else { return }
    atexit { print("\nHow tasks end when something goes wrong:\n\n" + tables.withLock { $0.joined(separator: "\n") }) }
  }
}

private let tables = Locked<[String]>([])
