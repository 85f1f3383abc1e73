internal import AFSupport
internal import Foundation

/// About how much memory Foundation takes to read a document, as measured with Swift 6.3: it has no limits of its own, and ends
/// the process where there is no memory.
///
/// An object of one member takes more than 3 KiB, so a few megabytes of JSON can ask for gigabytes.
enum DecodedSize {
  /// What is not worth a look, in bytes.
  private static let small = 64 << 10

  /// Of `JSONSerialization`.
  static func ofJSON(_ data: Data) -> Int { size(of: data, object: 3_200, item: 200) }

  /// Of `JSONDecoder`: what it keeps of the document, and a value of some size for each item.
  static func ofDecodedJSON(_ data: Data) -> Int { size(of: data, object: 512, item: 128) }

  /// Of Foundation's readers of property lists in text form, and of the tree of an XML document.
  static func ofMarkup(_ data: Data) -> Int {
    guard data.count > small else { return 0 }
    let items = data.withUnsafeBytes { bytes in
      bytes.reduce(0) { count, byte in
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "("): count + 1
        default: count
        }
      }
    }
    return clamped(items, 256, clamped(data.count, 4, 0))
  }

  /// Of a text in any encoding: a copy, what comes out at most, and the text.
  static func ofText(_ data: Data) -> Int { clamped(data.count, 7, 0) }

  private static func size(of data: Data, object: Int, item: Int) -> Int {
    guard data.count > small else { return 0 }
    var (objects, items) = (0, 0)
    JSONStructure.scan(data) { byte in
      switch byte {
      case UInt8(ascii: "{"): objects += 1
      case UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: ":"): items += 1
      default: break
      }
      return true
    }
    return clamped(objects, object, clamped(items, item, data.count))
  }

  private static func clamped(_ count: Int, _ each: Int, _ more: Int) -> Int {
    let (product, isVast) = count.multipliedReportingOverflow(by: each)
    let (sum, isVaster) = product.addingReportingOverflow(more)
    return isVast || isVaster ? .max : sum
  }
}

/// There is no memory for what a document becomes.
struct NoRoomForDocument: Error, LocalizedError, CustomStringConvertible {
  /// - Throws: This error, if there is no room for so many bytes.
  static func check(_ count: Int) throws(Self) {
    guard MemoryRoom.has(count) else { throw Self() }
  }

  var description: String { "there is no memory for what the body becomes" }
  var errorDescription: String? { description }
}
