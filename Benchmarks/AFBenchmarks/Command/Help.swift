import Foundation

/// What `--help` prints, made from the tables of workloads and options.
enum Help {
  static var text: String {
    """
    Usage: AFBenchmarks WORKLOAD… [options]

    Measures AFNetworking beside other clients in the same run: each client in a process of its own, in rounds with
    changing order, against a server on this machine. Ratios are medians of what each round gave, 1.00 is the yardstick:
    a C program on libcurl at its best settings.

    Workloads, or all:
    \(table(Catalog.workloads.map { ($0.name, $0.summary) }))

    Options:
    \(table(Flag.all.map { flag in
      (flag.names.joined(separator: ", ") + (flag.placeholder.map { " " + $0 } ?? ""), flag.help)
    }))

    Clients, those marked * only when asked for with --peers:
    \(table(clients))

    Build with optimisation: swift run -c release AFBenchmarks …
    """
  }

  private static var clients: [(String, String)] {
    Catalog.workloads.flatMap { workload in
      workload.clients.map { ("\(workload.name): \($0.name)\($0.isUsual ? "" : " *")", $0.summary) }
    }
  }

  private static func table(_ rows: [(name: String, text: String)]) -> String {
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    return rows.map { "  " + $0.name.padding(toLength: width, withPad: " ", startingAt: 0) + $0.text }
      .joined(separator: "\n")
  }
}
