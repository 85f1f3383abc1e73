internal import AFSupport
internal import CGdkPixbuf
internal import Foundation

/// What a decoder gives: rows from top to bottom, four bytes a pixel (red, green, blue, alpha), no gaps.
struct Pixels: Sendable {
  var width: Int
  var height: Int
  var rgba: Data
}

/// Decodes images with gdk-pixbuf, after a look at their size, so that a few bytes cannot ask for much memory.
struct PixelDecoder {
  let maximumPixelCount: Int
  /// The only format that is decoded; nil if the bytes decide.
  var expected: ImageFormat?

  /// The dimensions as the image is shown, turned if it says so. Decodes as little as the format allows.
  func dimensions(of data: Data) throws -> (width: Int, height: Int) {
    try load(data, stopsWhenPrepared: true) { pixbuf in
      let width = Int(gdk_pixbuf_get_width(pixbuf))
      let height = Int(gdk_pixbuf_get_height(pixbuf))
      let orientation = gdk_pixbuf_get_option(pixbuf, "orientation").flatMap { Int(String(cString: $0)) } ?? 1
      return orientation >= 5 ? (height, width) : (width, height)
    }
  }

  /// The pixels as the image is shown, turned if it says so. Of an animation, the first picture.
  func pixels(of data: Data) throws -> Pixels {
    try load(data, stopsWhenPrepared: false) { pixbuf in
      guard let turned = gdk_pixbuf_apply_embedded_orientation(pixbuf) else { throw AFImageError(.malformed) }
      defer { g_object_unref(UnsafeMutableRawPointer(turned)) }
      return try Self.copy(turned)
    }
  }

  private func load<Result>(
    _ data: Data,
    stopsWhenPrepared: Bool,
    _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    guard let format = ImageFormat(data) else { throw AFImageError(.unknownFormat) }
    if let expected, format != expected {
      throw AFImageError(.malformed, detail: "it is \(format) and not \(expected), as its type says")
    }
    try format.checkExtent(data, maximumPixelCount: maximumPixelCount)
    guard format.isComplete(data) else { throw AFImageError(.truncated) }
    let parts = try format.wantedParts(of: data)
    var failure: UnsafeMutablePointer<GError>?
    guard let loader = gdk_pixbuf_loader_new_with_type(format.rawValue, &failure) else {
      throw AFImageError(.unknownFormat, detail: Self.takeMessage(failure))
    }
    defer { g_object_unref(UnsafeMutableRawPointer(loader)) }

    let watch = Watch(maximumPixelCount: maximumPixelCount)
    watch.observe(loader)
    var message: String?
    for chunk in parts.lazy.flatMap({ $0.chunks(of: 64 << 10) }) where message == nil {
      let isTaken = chunk.withUnsafeBytes { bytes in
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return true }
        return gdk_pixbuf_loader_write(loader, base, bytes.count, &failure) != 0
      }
      if !isTaken { message = Self.takeMessage(failure) ?? "" }
      failure = nil
      if stopsWhenPrepared, gdk_pixbuf_loader_get_pixbuf(loader) != nil { break }
    }
    // A loader must be closed in any case; one that was stopped half-way has every reason to complain.
    if gdk_pixbuf_loader_close(loader, &failure) == 0, message == nil {
      message = Self.takeMessage(failure) ?? ""
    } else if let failure {
      g_error_free(failure)
    }
    if let (width, height) = watch.refused { throw AFImageError(.tooLarge(width: width, height: height)) }
    guard let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader) else {
      throw AFImageError(.malformed, detail: message)
    }
    if !stopsWhenPrepared {
      if let message { throw AFImageError(.malformed, detail: message) }
      // The first picture of an animation may fill a part of it only; the decoders of the others see their end themselves.
      let fillsAll = [.png, .jpeg, .bmp, .ico].contains(format)
      guard watch.isWhole || !fillsAll else { throw AFImageError(.truncated) }
    }
    return try withExtendedLifetime(watch) { try body(pixbuf) }
  }

  private static func copy(_ pixbuf: OpaquePointer) throws -> Pixels {
    let width = Int(gdk_pixbuf_get_width(pixbuf))
    let height = Int(gdk_pixbuf_get_height(pixbuf))
    let stride = Int(gdk_pixbuf_get_rowstride(pixbuf))
    let channels = Int(gdk_pixbuf_get_n_channels(pixbuf))
    guard gdk_pixbuf_get_bits_per_sample(pixbuf) == 8, channels == 3 || channels == 4,
      let source = gdk_pixbuf_read_pixels(pixbuf)
    else { throw AFImageError(.malformed) }
    let rgba = Data.allocated(count: 4 * width * height) { target in
      for row in 0..<height {
        let from = UnsafeRawBufferPointer(start: source + row * stride, count: channels * width)
        let to = UnsafeMutableRawBufferPointer(rebasing: target[4 * width * row..<4 * width * (row + 1)])
        if channels == 4 {
          to.copyMemory(from: from)
        } else {
          for column in 0..<width {
            to[4 * column] = from[3 * column]
            to[4 * column + 1] = from[3 * column + 1]
            to[4 * column + 2] = from[3 * column + 2]
            to[4 * column + 3] = 255
          }
        }
      }
    }
    guard let rgba else { throw AFImageError(.malformed, detail: "there is no memory for its pixels") }
    return Pixels(width: width, height: height, rgba: rgba)
  }

  static func takeMessage(_ error: UnsafeMutablePointer<GError>?) -> String? {
    guard let error else { return nil }
    defer { g_error_free(error) }
    return error.pointee.message.map { String(cString: $0) }
  }
}

/// What the loader tells while it works: the size before anything is allocated, and which pixels have been filled.
private final class Watch {
  private let maximumPixelCount: Int
  private var size: (width: Int, height: Int)?
  private var filled = 0
  private(set) var refused: (width: Int, height: Int)?

  init(maximumPixelCount: Int) {
    self.maximumPixelCount = maximumPixelCount
  }

  /// Whether every pixel has been filled. Interlaced images and icons fill them more than once.
  var isWhole: Bool {
    size.map { filled >= $0.width * $0.height } ?? false
  }

  /// The watch must outlive the loader's work.
  func observe(_ loader: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    af_on_size_prepared(
      loader,
      { loader, width, height, context in
        guard let context else { return }
        let watch = Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue()
        watch.size = (Int(width), Int(height))
        guard Int(width) * Int(height) > watch.maximumPixelCount else { return }
        watch.refused = watch.size
        // Zero by zero is how a loader is told to give up.
        gdk_pixbuf_loader_set_size(loader, 0, 0)
      }, context)
    af_on_area_updated(
      loader,
      { _, _, _, width, height, context in
        guard let context else { return }
        Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().filled += Int(width) * Int(height)
      }, context)
  }
}

extension Data {
  fileprivate func chunks(of size: Int) -> some Sequence<Data> {
    stride(from: startIndex, to: endIndex, by: size).lazy.map { self[$0..<Swift.min($0 + size, endIndex)] }
  }
}
