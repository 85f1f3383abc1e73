import Foundation

/// gzip by the command of that name, an implementation that is not ours.
func gzip(_ plain: Data) -> Data? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/gzip")
  process.arguments = ["-c"]
  let input = Pipe()
  let output = Pipe()
  process.standardInput = input
  process.standardOutput = output
  guard (try? process.run()) != nil else { return nil }
  DispatchQueue.global().async {
    try? input.fileHandleForWriting.write(contentsOf: plain)
    try? input.fileHandleForWriting.close()
  }
  let packed = try? output.fileHandleForReading.readToEnd()
  process.waitUntilExit()
  return packed
}
