import Foundation

/// Sizes, rates and times for people.
enum ByteText {
  /// "512 B", "1.5 KiB", "23 MiB", "4.2 GiB".
  static func size(_ bytes: Int64) -> String {
    guard bytes >= 1024 else { return "\(max(0, bytes)) B" }
    var value = Double(bytes) / 1024
    var unit = 0
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    // 1023.95 and more would be shown as 1024.
    while value >= 999.5, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return (value < 9.95 ? String(format: "%.1f ", value) : String(format: "%.0f ", value)) + units[unit]
  }

  static func rate(_ bytesPerSecond: Double) -> String {
    guard bytesPerSecond.isFinite, bytesPerSecond < 0x1p62 else { return "-" }
    return size(Int64(max(0, bytesPerSecond))) + "/s"
  }

  /// "0:07", "12:34", "1:02:03", "4 d".
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "-" }
    let whole = Int(max(0, seconds).rounded())
    if whole >= 86_400 * 2 { return "\(whole / 86_400) d" }
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? String(format: "%d:%02d:%02d", hours, minutes, rest) : String(format: "%d:%02d", minutes, rest)
  }
}
