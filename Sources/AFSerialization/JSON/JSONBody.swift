internal import Foundation

enum JSONBody {
  /// Whether a body stands for "nothing": no bytes, one space (old Rails sends it for an empty reply), or a byte order mark.
  static func isEmpty(_ data: Data) -> Bool {
    switch data.count {
    case 0: true
    case 1: data.first == UInt8(ascii: " ")
    case 3: data.elementsEqual([0xEF, 0xBB, 0xBF])
    default: false
    }
  }
}
