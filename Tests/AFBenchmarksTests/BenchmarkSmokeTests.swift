import Foundation
import Testing

/// That the benchmarks run and report in the form that is promised. No figure is judged: that is for a quiet machine.
@Suite struct BenchmarkSmokeTests {
  struct Entry: Decodable {
    let workload: String
    let client: String
    let rate: Double
    let rate_unit: String
    let cpu_per_unit: Double
    let cpu_unit: String
    let peak_rss_mib: Double
    let time_ratio: Double?
    let cpu_ratio: Double?
    let runs: Int
  }

  static let keys = [
    "client", "cpu_per_unit", "cpu_ratio", "cpu_unit", "peak_rss_mib", "rate", "rate_unit", "runs", "time_ratio",
    "workload",
  ]

  @Test(
    "Every workload runs with its yardstick and writes the promised JSON",
    arguments: [
      ("requests", "libcurl", ["requests-h1-1", "requests-h1-64"], ["--http", "1.1"]),
      ("parked", "libcurl", ["parked-100-h1-1", "parked-100-h1-64"], []),
      ("upload", "libcurl", ["upload-h1-1MiB"], ["--size", "1MiB"]),
      ("upload", "libcurl", ["upload-h1-tls-1MiB"], ["--size", "1MiB", "--tls"]),
      ("tls", "libcurl", ["tls-h1-1"], []),
      ("download", "libcurl", ["download-h1-1MiB"], ["--size", "1MiB"]),
      ("slow", "libcurl", ["slow-50-0.1s", "slow-50-1s"], []),
      ("stream", "pread", ["stream-16KiB", "stream-64KiB"], ["--size", "1MiB", "--packet", "16KiB,64KiB"]),
      (
        "serialize", "Foundation",
        ["request", "escape", "json-write", "json-read", "strip-1k", "strip-20k"].map { "serialize-\($0)" }, []
      ),
      ("manager", "URLSession", ["manager-make"], []),
    ])
  func json(workload: String, yardstick: String, cases: [String], options: [String]) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let run = try BenchmarkRun(
      [workload, "--quick", "--no-gate", "--rounds", "2", "--peers", yardstick, "--json", file.path] + options)
    try #require(run.status == 0, "\(run.complaint)")
    let data = try Data(contentsOf: file)
    let objects = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    for object in objects { #expect(object.keys.sorted() == Self.keys) }
    let entries = try JSONDecoder().decode([Entry].self, from: data)
    for name in cases {
      let base = try #require(entries.first { $0.workload == name && $0.client == yardstick })
      #expect(entries.contains { $0.workload == name && $0.client == "AFNetworking" })
      #expect(base.runs == 2)
      #expect(base.time_ratio == 1 && base.cpu_ratio == 1)
      #expect(run.output.contains(name))
    }
    let isBulk = !["requests", "parked", "tls", "serialize", "manager"].contains(workload)
    for entry in entries {
      #expect(cases.contains(entry.workload))
      #expect(entry.rate > 0 && entry.peak_rss_mib > 1)
      #expect(entry.rate_unit == (isBulk ? "MB/s" : "requests/s"))
      #expect(entry.cpu_unit == (isBulk ? "s/GiB" : "us/request"))
    }
  }

  @Test("The report is one page that stands alone, with every chart that the run can fill")
  func report() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).html")
    defer { try? FileManager.default.removeItem(at: file) }
    let run = try BenchmarkRun([
      "upload", "stream", "--quick", "--no-gate", "--rounds", "1", "--size", "2MiB", "--rate", "16MiB",
      "--packet", "16KiB,64KiB", "--peers", "libcurl,pread", "--report", file.path,
    ])
    try #require(run.status == 0, "\(run.complaint)")
    let page = try String(contentsOf: file, encoding: .utf8)
    for title in [
      "Throughput against packet size", "Time, against the yardstick", "Where the time goes", "Memory over time",
      "Rate against the limit", "prefers-color-scheme: dark", "AFNetworking",
    ] {
      #expect(page.contains(title))
    }
    // Nothing is fetched from anywhere.
    #expect(!page.contains("http") && !page.contains("<script") && !page.contains("<link"))
    #expect(page.components(separatedBy: "<svg").count == page.components(separatedBy: "</svg>").count)
  }

  @Test(
    "Nonsense on the command line is named, with exit status 64",
    arguments: [
      (["requests", "--frobnicate"], "--frobnicate"),
      (["walk"], "walk"),
      ([], "name a workload"),
      (["upload", "--size", "huge"], "huge"),
      (["upload", "--concurrency", "0"], "--concurrency 0"),
      (["upload", "--json"], "--json needs FILE"),
      (["stream", "--peers", "netcat"], "netcat"),
      (["upload", "--delay", "0.1"], "--packet"),
    ])
  func usage(arguments: [String], named: String) throws {
    let run = try BenchmarkRun(arguments)
    #expect(run.status == 64)
    #expect(run.complaint.contains(named))
    #expect(run.output.isEmpty)
  }

  @Test("The help names every workload and option")
  func help() throws {
    let run = try BenchmarkRun(["--help"])
    #expect(run.status == 0)
    for word in [
      "requests", "parked", "tls", "upload", "download", "stream", "--json", "--peers", "--quick", "--rounds", "--tls",
    ] {
      #expect(run.output.contains(word))
    }
  }

  @Test("A place that cannot be written to is said before anything else goes wrong")
  func unwritable() throws {
    let run = try BenchmarkRun(["stream", "--quick", "--directory", "/proc/nowhere"])
    #expect(run.status == 1)
    #expect(run.complaint.contains("/proc/nowhere"))
  }
}
