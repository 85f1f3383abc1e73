internal import AFImage
internal import Foundation
internal import FuzzSupport

/// Any bytes give an image with all its pixels, or a typed error, within little memory.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImage(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let inflates = input.byte() & 1 == 0
  do {
    let image = try AFPixelImage(data: input.data(), inflates: inflates, maximumPixelCount: 1 << 18)
    demand(image.width * image.height <= 1 << 18, "more pixels than allowed")
    if inflates { demand(try image.rgba().count == 4 * image.width * image.height, "pixels are missing") }
  } catch {
    demand(error is AFImageError, "\(error)")
  }
  return 0
}
