@_exported public import AFImage
@_exported public import AFOperations
import AFSerialization
public import Foundation
public import FoundationNetworking

/// A request whose response is an image, decoded by gdk-pixbuf.
///
/// A product of its own: who uses operations need not install gdk-pixbuf, and who decodes images need not link operations.
open class AFImageRequestOperation: AFHTTPRequestOperation, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.

  /// Makes an operation that is not started.
  public override init(request urlRequest: URLRequest) {
    super.init(request: urlRequest)
    let serializer = AFImageResponseSerializer()
    serializer.acceptableStatusCodes = Self.acceptableStatusCodes()
    serializer.acceptableContentTypes = Self.acceptableContentTypes()
    responseSerializer = serializer
  }

  /// Reads an archived operation.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// Makes an operation with blocks as AFNetworking 1.x has them. Both run where those of
  /// `setCompletionBlockWithSuccess(_:failure:)` do; `processing` changes the image before that, on the queue of the success block.
  @preconcurrency
  public convenience init(
    request urlRequest: URLRequest, imageProcessingBlock processing: (@Sendable (AFPixelImage) -> AFPixelImage?)? = nil,
    success: (@Sendable (URLRequest, HTTPURLResponse?, AFPixelImage) -> Void)?,
    failure: (@Sendable (URLRequest, HTTPURLResponse?, any Error) -> Void)? = nil
  ) {
    self.init(request: urlRequest)
    setCompletionBlockWithSuccess(
      { operation, object in
        guard let image = object as? AFPixelImage, let image = processing.map({ $0(image) }) ?? image else { return }
        success?(operation.request, operation.response, image)
      },
      failure: { failure?($0.request, $0.response, $1) })
  }

  /// The image of the response; nil if the operation failed.
  open var responseImage: AFPixelImage? { responseObject as? AFPixelImage }

  /// The content types of images, and what was added.
  open override class func acceptableContentTypes() -> Set<String>? {
    (super.acceptableContentTypes() ?? []).union(AFImageResponseSerializer().acceptableContentTypes ?? [])
  }

  /// Whether the request accepts an image, or its URL has an extension of one.
  open override class func canProcess(_ urlRequest: URLRequest) -> Bool {
    let pathExtension = urlRequest.url?.pathExtension.lowercased() ?? ""
    return pathExtensions.contains(pathExtension) || super.canProcess(urlRequest)
  }

  private static let pathExtensions: Set = ["tif", "tiff", "jpg", "jpeg", "gif", "png", "ico", "bmp", "cur"]
}
