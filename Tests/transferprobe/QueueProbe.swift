import AFTransfer
import Foundation

/// Adds uploads to a queue, in turn of each source and method, and says `+ NAME` when one is durable.
func probeQueue(_ arguments: [String]) async throws {
  guard arguments.count == 5, let server = URL(string: arguments[4]) else { return say("error usage") }
  let folder = URL(fileURLWithPath: arguments[2], isDirectory: true)
  let files = folder.deletingLastPathComponent()
  let queue = try await AFTransferQueue(folder: folder)
  say("open")
  for number in 0..<40 {
    let name = "\(arguments[3])-\(number)"
    let file = files.appendingPathComponent(name)
    try Data(String(repeating: name + "\n", count: 5000).utf8).write(to: file)
    let sources: [AFTransferRequest.Source] = [.reference, .handOver, .copy]
    var request = AFTransferRequest.upload(
      file, to: server.appendingPathComponent(name), source: sources[number % 3])
    request.method = number % 2 == 0 ? "PUT" : "POST"
    try await queue.add(request)
    say("+ \(name)")
  }
  try await queue.waitUntilIdle()
  say("idle")
}
