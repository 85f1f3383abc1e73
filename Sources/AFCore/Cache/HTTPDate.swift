import Foundation

/// The moments of HTTP fields (RFC 9110 §5.6.7), as seconds since 1970.
///
/// Read by hand and strictly: Foundation's formatters cost more than the whole of a small request, follow the user's locale, and take forms
/// that are no HTTP date. Letters may have any case (RFC 9111 §4.2). The day of the week has to be one, but need not be the right one: nothing
/// depends on it.
package enum HTTPDate {
  /// The moment that `text` names, in the preferred form or one of the two obsolete ones; nil if it names none, or one that does not exist.
  package static func seconds(_ text: String) -> Double? { seconds(text, now: Date().timeIntervalSince1970) }

  /// The same. The two digits of an RFC 850 year are read against `now`, which is looked at for nothing else.
  package static func seconds(_ text: String, now: @autoclosure () -> Double) -> Double? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = Scanner(bytes)
      let long = scanner.word(in: longWeekdays)
      guard long != nil || scanner.word(in: weekdays) != nil else { return nil }
      if long != nil { return scanner.rfc850(now) }
      return scanner.skip(",") ? scanner.imfFixdate() : scanner.asctime()
    }
  }

  /// The preferred form of a moment; of one before the year 0 or after 9999, of the nearest that has one.
  package static func text(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds.isNaN ? 0 : seconds.rounded(.down), firstMoment), lastMoment))
    let days = (whole - floorMod(whole, 86_400)) / 86_400
    let rest = floorMod(whole, 86_400)
    let (year, month, day) = civil(days)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    let years = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
    return "\(weekdays[floorMod(days + 4, 7)]), \(two(day)) \(months[month - 1]) \(years) \(time) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  /// Sat, 01 Jan 0000 00:00:00 GMT and Fri, 31 Dec 9999 23:59:59 GMT.
  private static let firstMoment: Double = -62_167_219_200
  private static let lastMoment: Double = 253_402_300_799

  // MARK: The three forms

  private struct Scanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// " 06 Nov 1994 08:49:37 GMT"
    mutating func imfFixdate() -> Double? {
      guard skip(" "), let day = number(2), skip(" "), let month = word(in: months), skip(" "), let year = number(4),
        skip(" "), let time = time(), skip(" GMT"), isAtEnd
      else { return nil }
      return moment(year, month + 1, day, time)
    }

    /// ", 06-Nov-94 08:49:37 GMT". A year more than 50 years ahead is the last one with these digits (RFC 9110 §5.6.7).
    mutating func rfc850(_ now: () -> Double) -> Double? {
      guard skip(", "), let day = number(2), skip("-"), let month = word(in: months), skip("-"), let digits = number(2),
        skip(" "), let time = time(), skip(" GMT"), isAtEnd
      else { return nil }
      let present = now()
      let (year, _, _) = civil(Int(min(max(present.isNaN ? 0 : present, firstMoment), lastMoment) / 86_400))
      let century = year - year % 100
      // 29 February does not exist in each of them.
      for candidate in [century + 100, century, century - 100] {
        guard let moment = moment(candidate + digits, month + 1, day, time) else { continue }
        let (limitYear, limit) = (year + 50, present - self.start(of: year))
        if moment - self.start(of: limitYear) <= limit { return moment }
      }
      return nil
    }

    /// " Nov  6 08:49:37 1994"
    mutating func asctime() -> Double? {
      guard skip(" "), let month = word(in: months), skip(" "), let day = skip(" ") ? number(1) : number(2), skip(" "),
        let time = time(), skip(" "), let year = number(4), isAtEnd
      else { return nil }
      return moment(year, month + 1, day, time)
    }

    /// Seconds of the day. A leap second is taken for the one before it: a cache must not see a moment later than it is.
    private mutating func time() -> Int? {
      guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2), hour < 24,
        minute < 60, second < 60 || (hour, minute, second) == (23, 59, 60)
      else { return nil }
      return hour * 3600 + minute * 60 + min(second, 59)
    }

    private func moment(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Double? {
      guard (0...9999).contains(year), day >= 1, day <= length(of: month, in: year) else { return nil }
      return Double(days(year, month, day) * 86_400 + time)
    }

    private func start(of year: Int) -> Double { Double(days(year, 1, 1) * 86_400) }

    // MARK: Pieces

    var isAtEnd: Bool { position == bytes.count }

    /// Goes past these bytes, by any letter case.
    mutating func skip(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard bytes.count - position >= count else { return false }
      for index in 0..<count where bytes[position + index].asciiLowercased != text.utf8Start[index].asciiLowercased {
        return false
      }
      position += count
      return true
    }

    /// Goes past one of these words, and says which.
    mutating func word(in words: [String]) -> Int? {
      let found = words.firstIndex { word in
        guard bytes.count - position >= word.utf8.count else { return false }
        return zip(bytes[position...], word.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
      }
      if let found { position += words[found].utf8.count }
      return found
    }

    /// Goes past exactly so many digits.
    mutating func number(_ count: Int) -> Int? {
      guard bytes.count - position >= count else { return nil }
      var value = 0
      for byte in bytes[position..<(position + count)] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      position += count
      return value
    }
  }

  // MARK: The calendar

  private static func floorMod(_ value: Int, _ divisor: Int) -> Int { (value % divisor + divisor) % divisor }

  private static func length(of month: Int, in year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  // Days since 1970 in the proleptic Gregorian calendar, with years that begin in March.

  static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted - floorMod(shifted, 400)) / 400
    let yearOfEra = floorMod(shifted, 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
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
