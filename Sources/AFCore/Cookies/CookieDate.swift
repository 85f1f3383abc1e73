/// The moments of Expires attributes (RFC 6265bis §5.1.1), as seconds since 1970.
///
/// Looser than HTTP's other dates: the parts may come in any order and between almost any delimiters, and weekday and zone are
/// not looked at.
enum CookieDate {
  /// The moment that `bytes` name, or nil if they name none.
  static func seconds(_ bytes: ArraySlice<UInt8>) -> Double? {
    var time: Int?
    var day: Int?
    var month: Int?
    var year: Int?
    // A token is the first part that is still missing and that it can be.
    for token in bytes.split(whereSeparator: isDelimiter) {
      if time == nil, let found = secondOfDay(token) {
        guard found >= 0 else { return nil }
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = monthNumber(token) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
      }
    }
    guard let time, let day, let month, let year, year >= 1601, (1...length(month, year)).contains(day) else {
      return nil
    }
    return Double(HTTPDate.days(year, month, day) * 86_400 + time)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// The number that the token begins with, if it has so many digits. What follows them does not count.
  private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
    let found = token.prefix(while: isDigit)
    guard digits.contains(found.count) else { return nil }
    return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Hours, minutes and seconds, as seconds; -1 if the token has a time's form but names none; nil if it has another form.
  private static func secondOfDay(_ token: ArraySlice<UInt8>) -> Int? {
    var rest = token
    var fields: [Int] = []
    while fields.count < 3 {
      if !fields.isEmpty {
        guard rest.first == UInt8(ascii: ":") else { return nil }
        rest.removeFirst()
      }
      guard let field = number(rest, digits: 1...2) else { return nil }
      fields.append(field)
      rest = rest.drop(while: isDigit)
    }
    guard fields[0] <= 23, fields[1] <= 59, fields[2] <= 59 else { return -1 }
    return fields[0] * 3600 + fields[1] * 60 + fields[2]
  }

  private static let months: [[UInt8]] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ].map { Array($0.utf8) }

  private static func monthNumber(_ token: ArraySlice<UInt8>) -> Int? {
    let name = token.prefix(3).map(\.asciiLowercased)
    return months.firstIndex(of: name).map { $0 + 1 }
  }

  private static func length(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
