import Foundation

/// What the command line asks for.
struct Options: Sendable {
  enum Peers: Sendable, Equatable {
    /// Those that a workload compares with unless told otherwise.
    case usual
    case all
    case named([String])
  }

  var workloads: [String] = []
  var wantsHelp = false
  var json: String?
  var report: String?
  var peers = Peers.usual
  var isQuick = false
  var rounds: Int?
  var seconds: Double?
  var size: Int64?
  var parts = 1
  var packets: [Int] = []
  var delay = 0.0
  var rate: Int64 = 0
  var concurrency: [Int] = []
  var usesTLS = false
  var httpVersions: [HTTPVersion] = []
  var directory: String?
  var pinsProcessors = false
  var waitsForQuiet = true

  enum HTTPVersion: String, Sendable {
    case http1 = "1.1"
    case http2 = "2"
  }

  /// Rounds to run: every client once in each.
  var roundCount: Int { rounds ?? (isQuick ? 2 : 5) }
  /// How long one run of small requests lasts.
  var runSeconds: Double { seconds ?? (isQuick ? 0.1 : 1.5) }
  /// The size of the file that is sent, fetched or read.
  var fileSize: Int64 { size ?? (isQuick ? 16 << 20 : 1 << 30) }

  init() {}

  init(parsing arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-") else {
        workloads.append(argument)
        continue
      }
      let pieces = argument.split(separator: "=", maxSplits: 1).map(String.init)
      guard let flag = Flag.all.first(where: { $0.names.contains(pieces[0]) }) else {
        throw UsageError("there is no option \(pieces[0])")
      }
      guard let placeholder = flag.placeholder else {
        guard pieces.count == 1 else { throw UsageError("\(pieces[0]) takes no value") }
        try flag.apply(&self, "")
        continue
      }
      guard let value = pieces.count == 2 ? pieces[1] : rest.popFirst() else {
        throw UsageError("\(pieces[0]) needs \(placeholder)")
      }
      do {
        try flag.apply(&self, value)
      } catch let error as UsageError {
        throw UsageError("\(pieces[0]) \(value): \(error)")
      }
    }
    guard !wantsHelp else { return }
    try resolveWorkloads()
  }

  private mutating func resolveWorkloads() throws {
    let known = Catalog.workloads.map(\.name)
    if workloads == ["all"] { workloads = known }
    guard !workloads.isEmpty else { throw UsageError("name a workload: \(known.joined(separator: ", ")), or all") }
    for name in workloads where !known.contains(name) {
      throw UsageError("there is no workload \(name); there are \(known.joined(separator: ", "))")
    }
    if case .named(let names) = peers {
      let clients = Set(workloads.flatMap { Catalog.workload($0)?.clients.map(\.name) ?? [] })
      for name in names where !clients.contains(name) {
        throw UsageError("there is no peer \(name) here; there are \(clients.sorted().joined(separator: ", "))")
      }
    }
  }
}
