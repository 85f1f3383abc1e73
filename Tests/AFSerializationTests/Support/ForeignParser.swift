import AFTestSupport
import Foundation
import Testing

/// A form parser that others wrote, run as a program: one query string a line in, one line of JSON out.
enum ForeignParser: String, CaseIterable, Sendable {
  /// Python's `urllib.parse.parse_qsl`: a list of pairs.
  case python = "/usr/bin/env"
  /// PHP's `parse_str`: nested arrays.
  case php = "/usr/bin/php"

  private var arguments: [String] {
    switch self {
    case .python:
      [
        "python3", "-c",
        """
        import json, sys, urllib.parse
        for line in sys.stdin:
            pairs = urllib.parse.parse_qsl(line[:-1], keep_blank_values=True, errors="strict")
            print(json.dumps(pairs))
        """,
      ]
    case .php:
      [
        "-d", "max_input_vars=100000", "-d", "max_input_nesting_level=600", "-r",
        """
        while (($line = fgets(STDIN)) !== false) {
          parse_str(substr($line, 0, -1), $result);
          echo json_encode($result, JSON_THROW_ON_ERROR, 1024), "\\n";
        }
        """,
      ]
    }
  }

  /// What the parser makes of each query.
  func parse(_ queries: [String]) throws -> [Any] {
    let input = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(queries.map { $0 + "\n" }.joined().utf8).write(to: input)
    defer { try? FileManager.default.removeItem(at: input) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: rawValue)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: input)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let lines = try output.fileHandleForReading.readAll().split(separator: UInt8(ascii: "\n"))
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    try #require(lines.count == queries.count)
    return try lines.map { try JSONSerialization.jsonObject(with: Data($0)) }
  }
}
