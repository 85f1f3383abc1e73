import Foundation

/// What the kernel says under /proc.
enum ProcessFile {
  private static func read(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  /// The lines `Key: value kB` of a process's status.
  static func status(of process: pid_t) -> [String: Int64] {
    var values: [String: Int64] = [:]
    for line in read("/proc/\(process)/status").split(separator: "\n") {
      let pieces = line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " })
      if pieces.count >= 2, let value = Int64(pieces[1]) { values[String(pieces[0])] = value }
    }
    return values
  }

  /// Seconds of processor time of a living process, and of its children that have ended.
  static func processorSeconds(of process: pid_t) -> Double {
    // The command name, in parentheses, may hold spaces; what counts follows it.
    guard let rest = read("/proc/\(process)/stat").split(separator: ")").last else { return 0 }
    let fields = rest.split(separator: " ")
    guard fields.count > 14 else { return 0 }
    return fields[11...14].reduce(0) { $0 + (Double($1) ?? 0) } / ticksPerSecond
  }

  /// The process that started it; nil when it is gone.
  static func parent(of process: pid_t) -> pid_t? {
    status(of: process)["PPid"].map { pid_t($0) }
  }

  /// Resident bytes of a living process.
  static func residentBytes(of process: pid_t) -> Int64 {
    let fields = read("/proc/\(process)/statm").split(separator: " ")
    guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
    return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Bytes that a living process has read from and written to files.
  static func fileBytes(of process: pid_t) -> (read: Int64, written: Int64) {
    var read: Int64 = 0
    var written: Int64 = 0
    for line in Self.read("/proc/\(process)/io").split(separator: "\n") {
      let pieces = line.split(separator: " ")
      guard pieces.count == 2, let value = Int64(pieces[1]) else { continue }
      if pieces[0] == "rchar:" { read = value }
      if pieces[0] == "wchar:" { written = value }
    }
    return (read, written)
  }

  /// Seconds that all processors together have been busy, since the machine started.
  static func machineBusySeconds() -> Double {
    let fields = read("/proc/stat").prefix(while: { $0 != "\n" }).split(separator: " ").dropFirst()
    let ticks = fields.map { Double($0) ?? 0 }
    guard ticks.count >= 8 else { return 0 }
    // user, nice, system, idle, iowait, irq, softirq, steal
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / ticksPerSecond
  }

  private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
}
