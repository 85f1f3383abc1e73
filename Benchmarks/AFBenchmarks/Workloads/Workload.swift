/// A kind of work that is measured. To add one: a file beside this one, and its name in ``Catalog``.
struct Workload: Sendable {
  /// The word on the command line.
  let name: String
  let summary: String
  /// The client that ratios are taken against.
  let yardstick: String
  let clients: [Client]
  /// What to measure, as the options ask. Throws a ``UsageError`` if they ask for what the workload cannot do.
  let cases: @Sendable (Options) throws -> [Case]
}

/// One thing to measure with every client, such as uploading 1 GiB over HTTP/1.1.
struct Case: Sendable {
  /// Stable across releases: it is what results are compared by.
  let name: String
  var job = Job()
  var server = ServerKind.none
  var unit = Unit.bytes
  /// Whether `job.size` bytes must stand in a file, read before so that it is in the page cache.
  var needsFile = false
  /// Whether clients make files, which then go into memory where there is room.
  var writesFiles = false
}

/// Who answers the clients.
enum ServerKind: String, Sendable {
  case none
  case plain
  case tls
  case http2
}

/// What a rate counts.
enum Unit: Sendable {
  case requests
  case bytes

  var rateName: String { self == .requests ? "requests/s" : "MB/s" }
  var processorName: String { self == .requests ? "us/request" : "s/GiB" }

  func rate(_ sample: Sample) -> Double {
    Double(sample.units) / sample.seconds / (self == .requests ? 1 : 1e6)
  }

  func processorCost(_ sample: Sample) -> Double {
    sample.processorSeconds / Double(sample.units) * (self == .requests ? 1e6 : 1_073_741_824)
  }
}

/// One of those compared.
struct Client: Sendable {
  let name: String
  let summary: String
  /// Whether it runs when no peers are named.
  var isUsual = true
  /// The client trusts only what stands in the system's own file: give it a view of the file system in which that file has
  /// our authority too.
  var needsSystemTrust = false
  /// Why it cannot take part in a case on this machine, or nil.
  var whyNot: @Sendable (Case) -> String? = { _ in nil }
  /// Does the work, in a process of its own, with `meter` started and stopped around what is to be measured.
  let run: @Sendable (Job, Meter) async throws -> Void
}

/// What a client is told to do.
struct Job: Codable, Sendable {
  var workload = ""
  var client = ""
  /// What of the workload's kinds of work to do, where it has several.
  var operation = ""
  var url = ""
  /// A PEM file with the authority that the server's certificate is from.
  var authority: String?
  /// A PEM file with that and the system's authorities, which are many.
  var allAuthorities: String?
  var usesHTTP2 = false
  var concurrency = 1
  /// Requests beside the others that the server never answers.
  var parked = 0
  /// How long to go on, where the amount of work is open.
  var seconds = 1.0
  var file = ""
  var size: Int64 = 0
  var parts = 1
  /// Bytes in one read, or 0 for the client's own choice.
  var packet = 0
  var delay = 0.0
  var rate: Int64 = 0
  /// Note where the time goes. Costs a little, so that such a run is not counted.
  var profiles = false
  /// Where the client may make files.
  var directory = ""
}
