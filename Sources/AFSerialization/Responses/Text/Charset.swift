internal import Foundation
internal import Glibc

/// An encoding that a server can name: Foundation's, and those of the WHATWG Encoding standard that Foundation lacks and
/// the C library has.
///
/// The C library knows many more, some of which no browser accepts and some of which have had holes, so the name that a
/// server sends chooses from this list and is not passed on.
struct Charset {
  private enum Decoder {
    case foundation(String.Encoding)
    case iconv(String)
  }

  private let decoder: Decoder

  /// The encoding of this name, in any letter case; nil if it is not known.
  init?(name: String) {
    let name = name.lowercased()
    switch name {
    case "utf8": decoder = .foundation(.utf8)
    // Without a byte order mark, which is looked for before, the first byte is the high one (RFC 2781 §4.3).
    case "utf-16": decoder = .foundation(.utf16BigEndian)
    case "utf-32": decoder = .foundation(.utf32BigEndian)
    default:
      if let known = Self.others[name] {
        decoder = .iconv(known)
      } else if let encoding = String.Encoding(ianaName: name) {
        decoder = .foundation(encoding)
      } else {
        return nil
      }
    }
  }

  private static let others: [String: String] = {
    var names = [
      "gbk": "GBK", "gb2312": "GBK", "gb18030": "GB18030", "big5": "BIG5-HKSCS", "euc-kr": "UHC",
      "ks_c_5601-1987": "UHC",
      "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "ibm866": "CP866", "cp866": "CP866", "windows-874": "CP874",
      "tis-620": "CP874", "euc-jp": "EUC-JP", "iso-2022-jp": "ISO-2022-JP", "shift_jis": "CP932", "sjis": "CP932",
      "x-sjis": "CP932", "windows-31j": "CP932",
    ]
    for part in [3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] { names["iso-8859-\(part)"] = "ISO-8859-\(part)" }
    for page in 1250...1258 {
      names["windows-\(page)"] = "CP\(page)"
      names["cp\(page)"] = "CP\(page)"
    }
    return names
  }()

  /// The text, or nil if it is not in this encoding.
  func string(_ data: Data) throws(NoRoomForDocument) -> String? {
    switch decoder {
    case .foundation(let encoding): return try TextDecoding.string(data, encoding)
    case .iconv(let name):
      try NoRoomForDocument.check(DecodedSize.ofText(data))
      return Self.converted(data, from: name)
    }
  }

  private static let failure = Int(bitPattern: UInt.max)

  /// Whether the bytes from 0x80 to 0x9F that stand for no character are the control characters of that number: in the
  /// WHATWG's Windows code pages they are, and in the C library's they are errors.
  private static func keepsControls(_ name: String) -> Bool {
    name == "CP874" || name.hasPrefix("CP125")
  }

  private static func converted(_ data: Data, from name: String) -> String? {
    guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var source = [CChar](unsafeUninitializedCapacity: data.count) { buffer, count in
      count = data.copyBytes(to: buffer)
    }
    // A character of one byte becomes three bytes at most, and one of two bytes no more than that.
    var target = [CChar](repeating: 0, count: 3 * source.count + 8)
    var sourceCount = source.count
    var targetCount = target.count
    let keepsControls = Self.keepsControls(name)
    let isDone = source.withUnsafeMutableBufferPointer { source in
      target.withUnsafeMutableBufferPointer { target in
        var from = source.baseAddress
        var to = target.baseAddress
        while iconv(converter, &from, &sourceCount, &to, &targetCount) == Self.failure {
          guard errno == EILSEQ, keepsControls, let byte = from?.pointee, let end = to, targetCount >= 2,
            0x80...0x9F ~= UInt8(bitPattern: byte)
          else { return false }
          // The character before may still be held back, for a mark that could follow.
          guard iconv(converter, nil, nil, &to, &targetCount) != Self.failure, to == end || targetCount >= 2,
            let end = to
          else { return false }
          end.initialize(to: CChar(bitPattern: 0xC2))
          end.advanced(by: 1).initialize(to: byte)
          (from, to) = (from?.advanced(by: 1), end.advanced(by: 2))
          (sourceCount, targetCount) = (sourceCount - 1, targetCount - 2)
        }
        // What is held back at the end comes out only now.
        return iconv(converter, nil, nil, &to, &targetCount) != Self.failure
      }
    }
    guard isDone, sourceCount == 0 else { return nil }
    return String(decoding: target[..<(target.count - targetCount)].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
