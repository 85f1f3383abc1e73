internal import AFSupport
public import Foundation

/// Why bytes are no image, or none that will be decoded.
public struct AFImageError: Error, Sendable, Hashable {
  /// What went wrong.
  public enum Code: Sendable, Hashable {
    /// The bytes have the form of no known image format.
    case unknownFormat
    /// The image has more pixels than are allowed.
    case tooLarge(width: Int, height: Int)
    /// The image ends before it is complete.
    case truncated
    /// The bytes break the rules of their format, or use what the decoder does not know.
    case malformed
    /// There is not enough memory, or the pixels do not fit the dimensions.
    case unencodable
  }

  /// What went wrong.
  public let code: Code
  /// What the decoder said.
  public let detail: String?

  init(_ code: Code, detail: String? = nil) {
    self.code = code
    self.detail = detail
  }
}

extension AFImageError: LocalizedError, CustomStringConvertible {
  /// What went wrong, in words.
  public var description: String {
    let text =
      switch code {
      case .unknownFormat: "the bytes are no image of a known format"
      case .tooLarge(let width, let height): "the image has too many pixels (\(width) × \(height))"
      case .truncated: "the image is not complete"
      case .malformed: "the image cannot be decoded"
      case .unencodable: "the image cannot be encoded"
      }
    return detail.map { "\(text): \($0.printable())" } ?? text
  }

  /// What went wrong, in words.
  public var errorDescription: String? { description }
}
