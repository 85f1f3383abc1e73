/// The moments of HTTP fields (RFC 9110 §5.6.7), as seconds since 1970.
///
/// Read by hand: Foundation's formatters cost more than the whole of a small request, and follow the user's locale.
enum HTTPDate {
  /// The moment that `text` names, in the preferred form or one of the two obsolete ones; nil if it names none.
  static func seconds(_ text: String) -> Double? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    switch words.count {
    // "Sun, 06 Nov 1994 08:49:37 GMT" and "Sunday, 06-Nov-94 08:49:37 GMT"
    case 6 where isUniversal(words[5]): return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
    // "Sun Nov  6 08:49:37 1994"
    case 5: return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
    default: return nil
    }
  }

  /// The preferred form of a moment.
  static func text(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.down))
    let days = (whole - floorMod(whole, 86_400)) / 86_400
    let rest = floorMod(whole, 86_400)
    let (year, month, day) = civil(days)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    let years = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
    return "\(weekdays[floorMod(days + 4, 7)]), \(two(day)) \(months[month - 1]) \(years) \(time) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func isUniversal(_ zone: String) -> Bool { ["GMT", "UTC"].contains(zone.uppercased()) }

  private static func seconds(day: String, month: String, year: String, time: String) -> Double? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(number)
    guard let day = number(day[...]), (1...31).contains(day),
      let month = months.firstIndex(where: { $0.equalsIgnoringCase(month) }), var full = number(year[...]),
      clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2], hour < 24, minute < 60,
      second <= 60
    else { return nil }
    // Two digits: in this century, or in the one before if that would be far ahead.
    if year.utf8.count == 2 { full += full < 70 ? 2000 : 1900 }
    guard (1601...9999).contains(full) else { return nil }
    return Double(days(full, month + 1, day) * 86_400 + hour * 3600 + minute * 60 + second)
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int(text)
  }

  private static func floorMod(_ value: Int, _ divisor: Int) -> Int { (value % divisor + divisor) % divisor }

  // Days since 1970 in the proleptic Gregorian calendar, with years that begin in March.

  static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted - floorMod(shifted, 146_097)) / 146_097
    let dayOfEra = floorMod(shifted, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }
}
