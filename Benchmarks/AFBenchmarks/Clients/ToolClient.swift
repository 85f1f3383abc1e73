import Foundation

/// Clients that are programs of their own: they run as a child, and what they cost includes their start.
enum ToolClient {
  static let curl = Client(
    name: "curl-tool", summary: "curl -F, its start included", isUsual: false,
    whyNot: { _ in why(["curl", "--version"]) }
  ) { job, meter in
    var command = ["curl", "-sS", "-H", "Expect:"]
    if let authority = job.authority { command += ["--cacert", authority] }
    if job.rate > 0 { command += ["--limit-rate", "\(job.rate)"] }
    for (name, value) in MultipartSample.fields { command += ["-F", "\(name)=\(value)"] }
    for _ in 0..<job.parts { command += ["-F", "file=@\(job.file);type=application/octet-stream;filename=large.bin"] }
    try run(command + [job.url], job, meter)
  }

  static let toolbelt = python(
    "requests-toolbelt", "Python: requests with a MultipartEncoder, its start included",
    imports: "requests, requests_toolbelt",
    send: """
      import requests, requests_toolbelt
      encoder = requests_toolbelt.MultipartEncoder(fields + [('file', ('large.bin', open(p, 'rb'), kind)) for p in files])
      answer = requests.post(url, data=encoder, headers={'Content-Type': encoder.content_type}, verify=authority)
      """)

  static let httpx = python(
    "httpx", "Python: httpx.post(files=), its start included", imports: "httpx",
    send: """
      import httpx, ssl
      context = ssl.create_default_context(cafile=authority) if authority is not True else True
      parts = [('file', ('large.bin', open(p, 'rb'), kind)) for p in files]
      answer = httpx.post(url, data=dict(fields), files=parts, verify=context, timeout=600)
      """)

  private static func python(_ name: String, _ summary: String, imports: String, send: String) -> Client {
    Client(name: name, summary: summary, isUsual: false, whyNot: { _ in why(["python3", "-c", "import \(imports)"]) }) {
      job, meter in
      let fields = MultipartSample.fields.map { "('\($0)', '\($1)')" }.joined(separator: ", ")
      let script = """
        import sys
        url, authority, files = sys.argv[1], sys.argv[2] or True, sys.argv[3:]
        fields, kind = [\(fields)], 'application/octet-stream'
        \(send)
        print(answer.text)
        """
      let files = [String](repeating: job.file, count: job.parts)
      try run(["python3", "-c", script, job.url, job.authority ?? ""] + files, job, meter)
    }
  }

  private static func run(_ command: [String], _ job: Job, _ meter: Meter) throws {
    meter.start()
    let children = try (0..<job.concurrency).map { _ in try ChildProcess("/usr/bin/env", command) }
    var bytes: Int64 = 0
    var peak: Int64 = 0
    for child in children {
      let answer = try child.finish {
        for child in children { peak = max(peak, (ProcessFile.status(of: child.identifier)["VmHWM"] ?? 0) << 10) }
      }
      bytes += try UploadReceipt.count(Data(answer.utf8))
    }
    meter.stop(units: bytes)
    if var sample = meter.sample {
      sample.peakMemory = peak * Int64(job.concurrency)
      meter.accept(sample)
    }
    try UploadReceipt.check(bytes, for: job)
  }

  /// Why a program cannot run here, or nil.
  private static func why(_ command: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return "there is no /usr/bin/env" }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : "it is not installed (\(command.joined(separator: " ")))"
  }
}
