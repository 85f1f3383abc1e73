import CLinux
import Foundation

/// What this process holds at one moment, for tests that nothing is left behind.
package struct ProcessSnapshot: Sendable {
  /// Open file descriptors, without the one that the look itself needs.
  package let descriptors: Int
  /// Threads by name, as the kernel shows it (15 bytes at most).
  package let threadNames: [String]
  package let residentBytes: Int
  /// What malloc has given out and not got back.
  package let allocatedBytes: Int
  /// The most that was ever resident; ``resetPeak()`` starts anew.
  package let peakResidentBytes: Int
  /// User and system time of the whole process.
  package let cpuSeconds: Double
  /// Context switches that threads asked for by waiting, of the whole process: it grows with each wake-up.
  package let voluntarySwitches: Int

  package var threads: Int { threadNames.count }

  package static func take() -> ProcessSnapshot {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let kilobytes = { (name: String) -> Int in
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      return line.flatMap { Int($0.split(whereSeparator: { " \t".contains($0) })[1]) } ?? 0
    }
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let names = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return ProcessSnapshot(
      descriptors: open - 1, threadNames: names.map { $0.trimmingCharacters(in: .newlines) },
      residentBytes: kilobytes("VmRSS") << 10, allocatedBytes: Int(af_allocated_bytes()),
      peakResidentBytes: kilobytes("VmHWM") << 10,
      cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), voluntarySwitches: usage.ru_nvcsw)
  }

  /// Makes the present size the peak from which ``peakResidentBytes`` counts.
  package static func resetPeak() {
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
  }
}

extension ProcessSnapshot {
  /// How much address space this process has taken, in bytes.
  package static var addressSpace: Int? {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").first
    return pages.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
  }

  /// Whether the process runs under AddressSanitizer or ThreadSanitizer, which keep freed memory and shadow the rest: what is
  /// resident then says nothing about the code under test.
  package static let isSanitized =
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
