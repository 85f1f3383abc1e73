public import AFSerialization
internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Reads images. The value is an ``AFPixelImage``.
///
/// Default content types: `image/tiff`, `image/jpeg`, `image/gif`, `image/png`, `image/ico`, `image/x-icon`, `image/bmp`,
/// `image/x-bmp`, `image/x-xbitmap` and `image/x-win-bitmap`. A response with one of these is decoded as that format and no
/// other, so a server cannot choose a decoder that the app does not accept. Where the type names none of them, or there is
/// none, the bytes decide.
open class AFImageResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let image: Locked<Options>

  private struct Options: Sendable {
    var scale: CGFloat = 1
    var inflates = true
    var maximumPixelCount = AFPixelImage.defaultMaximumPixelCount
  }

  /// Makes a serializer that decodes at once, at one pixel per point.
  public override init() {
    image = Locked(Options())
    super.init()
    acceptableContentTypes = [
      "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
      "image/x-xbitmap", "image/x-win-bitmap",
    ]
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    var options = Options()
    if coder.containsValue(forKey: Key.scale) { options.scale = CGFloat(coder.decodeDouble(forKey: Key.scale)) }
    if coder.containsValue(forKey: Key.inflates) { options.inflates = coder.decodeBool(forKey: Key.inflates) }
    if coder.containsValue(forKey: Key.maximum) {
      options.maximumPixelCount = coder.decodeInteger(forKey: Key.maximum)
    }
    image = Locked(options)
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder { return }
    let options = image.withLock { $0 }
    coder.encode(Double(options.scale), forKey: Key.scale)
    coder.encode(options.inflates, forKey: Key.inflates)
    coder.encode(options.maximumPixelCount, forKey: Key.maximum)
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let options = image.withLock { $0 }
    (copy as? AFImageResponseSerializer)?.image.withLock { $0 = options }
    return copy
  }

  private enum Key {
    static let scale = "imageScale"
    static let inflates = "automaticallyInflatesResponseImage"
    static let maximum = "maximumPixelCount"
  }

  /// Pixels per point of the images. Default: 1.
  open var imageScale: CGFloat {
    get { image.withLock { $0.scale } }
    set { image.withLock { $0.scale = newValue } }
  }

  /// Whether the pixels are decoded here, on the serializer's queue, and not when they are first used. Default: true.
  ///
  /// If not, damage behind the head of the image is not found here.
  open var automaticallyInflatesResponseImage: Bool {
    get { image.withLock { $0.inflates } }
    set { image.withLock { $0.inflates = newValue } }
  }

  /// How many pixels an image may have; more are refused. Default: ``AFPixelImage/defaultMaximumPixelCount``.
  open var maximumPixelCount: Int {
    get { image.withLock { $0.maximumPixelCount } }
    set { image.withLock { $0.maximumPixelCount = newValue } }
  }

  /// Gives the image of a body.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set if the response is refused, or the body is no image that can be decoded: then to
  ///     `AFURLResponseSerializationError` with the ``AFImageError`` as its `cause`. (AFNetworking gave no error.)
  /// - Returns: An ``AFPixelImage``; nil also, without an error, for an empty body.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    decode(response, data: data, error: error) { data in
      guard !data.isEmpty else { return nil }
      do {
        return try AFPixelImage(
          data: data, scale: imageScale, inflates: automaticallyInflatesResponseImage,
          maximumPixelCount: maximumPixelCount,
          format: response?.mimeType.flatMap { ImageFormat(mediaType: $0) })
      } catch {
        throw AFURLResponseSerializationError(
          .undecodableBody(problem: error.localizedDescription), response: response, data: data, cause: error)
      }
    }
  }
}
