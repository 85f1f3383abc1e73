import AFSerialization
import Foundation
import Testing

@Suite struct QueryStringTests {
  private func query(_ parameters: [AnyHashable: Any], _ encoding: AFQueryStringEncoding? = nil) -> String {
    encoding.map { AFQueryStringFromParameters(parameters, encoding: $0) } ?? AFQueryStringFromParameters(parameters)
  }

  @Test("AF-T014 parameters become pairs in key order")
  func pairs() {
    #expect(query(["key1": "value&", "key": "value"]) == "key=value&key1=value%26")
  }

  @Test("AF-T015 AF-X016 reserved characters are escaped, slash and question mark are not")
  func reserved() {
    #expect(
      AFPercentEscapedStringFromString(":#[]@!$&'()*+,;=?/") == "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D?/")
    #expect(AFPercentEscapedStringFromString(" +~-._/?") == "%20%2B~-._/?")
    #expect(AFPercentEscapedStringFromString("%20") == "%2520")
    #expect(AFPercentEscapedStringFromString("") == "")
  }

  @Test("the escape set is Foundation's query set without the reserved characters, for every ASCII character")
  func escapeSet() {
    var allowed = CharacterSet.urlQueryAllowed
    allowed.remove(charactersIn: ":#[]@!$&'()*+,;=")
    for value in UInt8(0)..<128 {
      let text = String(UnicodeScalar(value))
      #expect(AFPercentEscapedStringFromString(text) == text.addingPercentEncoding(withAllowedCharacters: allowed))
    }
  }

  @Test("AF-X011 nesting is written with brackets")
  func nesting() {
    #expect(
      query(["a": ["b": [1, ["c": 2]] as [Any]]]) == "a%5Bb%5D%5B%5D=1&a%5Bb%5D%5B%5D%5Bc%5D=2")
  }

  @Test("AF-X012 a set repeats its key in the order of its members; empty containers vanish")
  func sets() {
    #expect(query(["s": Set(["b", "a", "B"])]) == "s=B&s=a&s=b")
    #expect(query(["s": NSSet(array: [2, 1])]) == "s=1&s=2")
    #expect(query(["a": [Int](), "d": [String: Int](), "s": Set<Int>(), "k": 1]) == "k=1")
    #expect(query([:]) == "")
  }

  @Test("AF-X013 null is a bare key, an empty text is not; booleans and whole numbers are integers")
  func scalars() {
    #expect(query(["n": NSNull(), "o": String?.none as Any, "e": ""]) == "e=&n&o")
    #expect(query(["t": true, "f": false, "nt": NSNumber(value: true)]) == "f=0&nt=1&t=1")
    #expect(query(["d": 1.0, "f": Float(2), "n": NSNumber(value: 3.0), "c": CGFloat(4)]) == "c=4&d=1&f=2&n=3")
    #expect(
      query(["a": 0.1, "b": Float(0.1), "c": -1.5e300, "d": NSNumber(value: Float(0.1))])
        == "a=0.1&b=0.1&c=-1.5e%2B300&d=0.1")
    #expect(
      query(["i": Int.min, "u": UInt64.max, "b": UInt8(7)]) == "b=7&i=-9223372036854775808&u=18446744073709551615")
    #expect(query(["d": Decimal(string: "123456789012345678901.5") as Any]) == "d=123456789012345678901.5")
    #expect(query(["o": Optional(Optional(5)) as Any, "s": "abc".dropFirst(), "c": Character("x")]) == "c=x&o=5&s=bc")
    #expect(query(["u": url("http://h/p?q")]) == "u=http%3A//h/p?q")
    #expect(query(["d": Data([1, 2, 3])]) == "d=AQID")
  }

  @Test("AF-X014 keys are sorted by code, upper case first")
  func order() {
    #expect(query(["b": 1, "B": 1, "a": 1, "A": 1]) == "A=1&B=1&a=1&b=1")
    #expect(query(["a2": 1, "a10": 1, "a1": 1]) == "a1=1&a10=1&a2=1")
    #expect(query(["z": 1, "é": 1, "a": 1]) == "a=1&%C3%A9=1&z=1")
    #expect(query([2: "b", 1: "a"]) == "1=a&2=b")
  }

  @Test("the other spellings: repeated keys, indices, literal booleans, plus for space")
  func spellings() {
    let list: [AnyHashable: Any] = ["a": [1, 2], "b": true, "s p": "x y+z"]
    #expect(query(list, .init(arrays: .repeatedKey)) == "a=1&a=2&b=1&s%20p=x%20y%2Bz")
    #expect(query(list, .init(arrays: .indices)) == "a%5B0%5D=1&a%5B1%5D=2&b=1&s%20p=x%20y%2Bz")
    #expect(query(list, .init(booleans: .literal)) == "a%5B%5D=1&a%5B%5D=2&b=true&s%20p=x%20y%2Bz")
    #expect(query(list, .init(spaces: .plus)) == "a%5B%5D=1&a%5B%5D=2&b=1&s+p=x+y%2Bz")
    #expect(query(["n": NSNumber(value: true), "i": NSNumber(value: 1)], .init(booleans: .literal)) == "i=1&n=true")
  }

  @Test(
    "B08 AF-T016 any text is escaped as the UTF-8 of the whole, whatever its length",
    arguments: [
      String(repeating: "a", count: 49) + "👴🏻👮🏽",
      String(repeating: "一二三四五六七八九十", count: 2_000),
      String(repeating: "🇩🇪", count: 5_000),
      String(repeating: "e\u{301}", count: 200),
      String(repeating: "é", count: 4 << 20),
    ])
  func longText(_ text: String) {
    let escaped = AFPercentEscapedStringFromString(text)
    #expect(escaped.removingPercentEncoding == text)
    #expect(escaped.utf8.allSatisfy { $0 < 128 })
  }

  @Test("B08 long Chinese text has the escapes of its characters, repeated")
  func longChinese() {
    let once = "%E4%B8%80%E4%BA%8C%E4%B8%89"
    let text = AFPercentEscapedStringFromString(String(repeating: "一二三", count: 5_000))
    #expect(text == String(repeating: once, count: 5_000))
  }

  @Test("the free function leaves out what holds itself or is nested too deeply, and ends")
  func lenient() {
    let list = NSMutableArray(array: ["x"])
    list.add(list)
    list.add(list)
    #expect(query(["a": list, "b": 1]) == "b=1")
    list.removeAllObjects()
    var deep: Any = "end"
    for _ in 0..<10_000 { deep = [deep] }
    #expect(query(["a": deep, "b": 1]) == "b=1")
  }
}
