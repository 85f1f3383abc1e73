/// One option of the command line: how it is written, what `--help` says, and what it changes.
struct Flag: Sendable {
  let names: [String]
  /// What stands for the value in the help, or nil for an option without one.
  let placeholder: String?
  let help: String
  let apply: @Sendable (inout Options, String) throws -> Void

  init(
    _ names: String..., value placeholder: String? = nil, help: String,
    apply: @escaping @Sendable (inout Options, String) throws -> Void
  ) {
    self.names = names
    self.placeholder = placeholder
    self.help = help
    self.apply = apply
  }

  static let all: [Flag] = results + size + transport + harness

  private static let results: [Flag] = [
    Flag("--json", value: "FILE", help: "write the results to FILE, one object per workload and client") {
      $0.json = $1
    },
    Flag("--report", value: "FILE.html", help: "write a page with plots to FILE.html") { $0.report = $1 },
    Flag("--peers", value: "A,B", help: "compare with these only, beside AFNetworking and the yardstick; or: all") {
      $0.peers = $1 == "all" ? .all : .named($1.split(separator: ",").map(String.init))
    },
    Flag("--quick", help: "small sizes and two rounds: does everything work, not how fast is it") { options, _ in
      options.isQuick = true
    },
  ]

  private static let size: [Flag] = [
    Flag("--seconds", value: "S", help: "how long a run of small requests (1.5), or of slow downloads (20), lasts") {
      $0.seconds = try positive($1)
    },
    Flag("--size", value: "SIZE", help: "size of the file, such as 64MiB or 20GiB (1GiB)") {
      $0.size = try bytes($1)
    },
    Flag("--parts", value: "N", help: "upload: how often the file is in the body (1)") { $0.parts = try count($1) },
    Flag("--packet", value: "SIZE,SIZE", help: "stream: bytes a read (16KiB to 1MiB); upload: bytes a packet") {
      $0.packets = try list($1) { Int(try bytes($0)) }
    },
    Flag("--concurrency", value: "N,N", help: "requests, uploads or downloads in flight (1,64 and 1)") {
      $0.concurrency = try list($1, count)
    },
  ]

  private static let transport: [Flag] = [
    Flag("--delay", value: "S", help: "upload: AFNetworking's throttle, seconds after each packet (0)") {
      $0.delay = try positive($1)
    },
    Flag("--rate", value: "SIZE", help: "upload: limit in bytes per second, such as 8MiB (none)") {
      $0.rate = try bytes($1)
    },
    Flag("--tls", help: "over TLS, with certificates made for the run") { options, _ in options.usesTLS = true },
    Flag("--http", value: "1.1,2", help: "requests: versions to measure (both; 2 is over TLS and needs nginx)") {
      $0.httpVersions = try list($1) { text in
        if let version = Options.HTTPVersion(rawValue: text) { return version }
        throw UsageError("the versions are 1.1 and 2")
      }
    },
  ]

  private static let harness: [Flag] = [
    Flag("--rounds", value: "N", help: "rounds, each of which runs every client once (5; with --quick 2)") {
      $0.rounds = try count($1)
    },
    Flag("--directory", value: "DIR", help: "where the files go (a temporary directory)") { $0.directory = $1 },
    Flag("--pin", help: "clients stay on processor 0, the server on the last one") { options, _ in
      options.pinsProcessors = true
    },
    Flag("--no-gate", help: "do not wait until the machine is quiet, nor repeat disturbed runs") { options, _ in
      options.waitsForQuiet = false
    },
    Flag("--help", "-h", help: "print this text") { options, _ in options.wantsHelp = true },
  ]

  private static func count(_ text: String) throws -> Int {
    guard let value = Int(text), value > 0, value <= 1_000_000 else { throw UsageError("a number from 1 is needed") }
    return value
  }

  private static func positive(_ text: String) throws -> Double {
    if let value = Double(text), value > 0, value <= 86_400 { return value }
    throw UsageError("a number of seconds is needed")
  }

  private static func bytes(_ text: String) throws -> Int64 {
    guard let value = ByteSize.parse(text) else { throw UsageError("a size such as 65536, 64KiB or 1GiB is needed") }
    return value
  }

  private static func list<Element>(_ text: String, _ parse: (String) throws -> Element) throws -> [Element] {
    let elements = try text.split(separator: ",").map { try parse(String($0)) }
    guard !elements.isEmpty else { throw UsageError("a value is needed") }
    return elements
  }
}
