internal import AFSupport
internal import CGdkPixbuf
public import Foundation

/// An image as pixels: what takes the place of `UIImage` and `NSImage`.
///
/// It is decoded at once, or when the pixels are first asked for; both can be done from any thread.
public final class AFPixelImage: Sendable {
  /// How many pixels an image may have unless told otherwise: 64 million, which take 256 MiB.
  public static let defaultMaximumPixelCount = 64 << 20

  /// Pixels in a row.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// Pixels per point.
  public let scale: CGFloat

  private let state: Locked<Content>
  private let maximumPixelCount: Int

  private enum Content: Sendable {
    case encoded(Data)
    case pixels(Data)
  }

  /// Decodes an image: PNG, JPEG, GIF (the first picture), TIFF, BMP, ICO or XBM.
  /// - Parameters:
  ///   - data: The image file.
  ///   - scale: Pixels per point. Anything that is not above zero counts as 1.
  ///   - inflates: Whether to decode the pixels now. If not, only the size is read, and damage further on is found when the
  ///     pixels are asked for.
  ///   - maximumPixelCount: How many pixels the image may have. Decoding takes up to eight bytes for each, and images with
  ///     more are refused before any of it is taken.
  /// - Throws: ``AFImageError``.
  public convenience init(
    data: Data,
    scale: CGFloat = 1,
    inflates: Bool = true,
    maximumPixelCount: Int = AFPixelImage.defaultMaximumPixelCount
  ) throws {
    try self.init(
      data: data, scale: scale, inflates: inflates, maximumPixelCount: maximumPixelCount, format: nil)
  }

  init(data: Data, scale: CGFloat, inflates: Bool, maximumPixelCount: Int, format: ImageFormat?) throws {
    let decoder = PixelDecoder(maximumPixelCount: maximumPixelCount, expected: format)
    if inflates {
      let pixels = try decoder.pixels(of: data)
      (width, height) = (pixels.width, pixels.height)
      state = Locked(.pixels(pixels.rgba))
    } else {
      (width, height) = try decoder.dimensions(of: data)
      state = Locked(.encoded(data))
    }
    self.scale = scale > 0 ? scale : 1
    self.maximumPixelCount = maximumPixelCount
  }

  /// Makes an image of pixels.
  /// - Parameters:
  ///   - width: Pixels in a row, at least 1.
  ///   - height: Rows of pixels, at least 1.
  ///   - rgba: The pixels as ``rgba()`` gives them.
  ///   - scale: Pixels per point. Anything that is not above zero counts as 1.
  /// - Throws: ``AFImageError`` if there are not exactly as many bytes as the dimensions ask for.
  public init(width: Int, height: Int, rgba: Data, scale: CGFloat = 1) throws {
    let (pixels, isTooMany) = width.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, !isTooMany, pixels <= Int32.max / 4, rgba.count == 4 * pixels else {
      throw AFImageError(.unencodable, detail: "\(rgba.count) bytes are not \(width) × \(height) pixels")
    }
    self.width = width
    self.height = height
    self.scale = scale > 0 ? scale : 1
    maximumPixelCount = pixels
    state = Locked(.pixels(rgba))
  }

  /// Width and height in points: pixels divided by ``scale``.
  public var size: CGSize {
    CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
  }

  /// Whether the pixels have been decoded.
  public var isInflated: Bool {
    state.withLock { content in
      if case .pixels = content { true } else { false }
    }
  }

  /// The pixels: rows from top to bottom, four bytes a pixel (red, green, blue, alpha; not premultiplied), no gaps.
  /// - Returns: `4 * width * height` bytes.
  /// - Throws: ``AFImageError`` if the image is decoded only now, and turns out to be damaged.
  public func rgba() throws -> Data {
    switch state.withLock({ $0 }) {
    case .pixels(let data):
      return data
    case .encoded(let data):
      let pixels = try PixelDecoder(maximumPixelCount: maximumPixelCount).pixels(of: data)
      guard (pixels.width, pixels.height) == (width, height) else { throw AFImageError(.malformed) }
      state.change { $0 = .pixels(pixels.rgba) }
      return pixels.rgba
    }
  }

  /// The image as a PNG file.
  /// - Returns: The file.
  /// - Throws: ``AFImageError``.
  public func pngData() throws -> Data {
    try rgba().withUnsafeBytes { bytes in
      guard let base = bytes.bindMemory(to: UInt8.self).baseAddress,
        let pixbuf = gdk_pixbuf_new_from_data(base, 0, 1, 8, Int32(width), Int32(height), Int32(4 * width), nil, nil)
      else { throw AFImageError(.unencodable) }
      defer { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
      var buffer: UnsafeMutablePointer<CChar>?
      var count = 0
      var failure: UnsafeMutablePointer<GError>?
      guard gdk_pixbuf_save_to_bufferv(pixbuf, &buffer, &count, "png", nil, nil, &failure) != 0, let buffer else {
        throw AFImageError(.unencodable, detail: PixelDecoder.takeMessage(failure))
      }
      return Data(bytesNoCopy: buffer, count: count, deallocator: .custom { buffer, _ in g_free(buffer) })
    }
  }
}
