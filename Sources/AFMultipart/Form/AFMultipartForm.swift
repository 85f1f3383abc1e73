/// A multipart form that is being put together.
///
/// The block of a multipart request gets one as its `AFMultipartFormData`. It can also be used by itself, with any HTTP
/// client that takes an `InputStream`:
///
/// ```swift
/// let form = AFMultipartForm()
/// form.appendPart(withForm: Data("cat".utf8), name: "title")
/// try form.appendPart(withFileURL: URL(fileURLWithPath: "/srv/cat.mp4"), name: "video")
/// request.httpBodyStream = form.makeBodyStream()
/// request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
/// ```
///
/// It is for one thread; the bodies it makes do not change with it.
public final class AFMultipartForm {
  private let boundary: Boundary
  private var parts: [AFMultipartPart] = []
  var throttle = Throttle()

  /// An empty form with a random boundary.
  public init() {
    boundary = Boundary()
  }

  /// An empty form with this boundary, which nobody checks.
  package init(boundary: String) {
    self.boundary = Boundary(text: boundary)
  }

  /// The value of the Content-Type header field: `multipart/form-data` with the boundary.
  public var contentType: String { "multipart/form-data; boundary=\(boundary.text)" }

  /// The length of the body, known without reading a byte; nil if a part's is not known.
  public var contentLength: Int64? { makeBody(throttle: throttle).contentLength }

  /// Whether the body can be sent again: after a redirect, an authentication challenge or a retry.
  public var isReplayable: Bool { parts.allSatisfy { $0.content.isReplayable } }

  /// Whether nothing has been appended.
  public var isEmpty: Bool { parts.isEmpty }

  /// The boundary between the parts.
  public var boundaryText: String { boundary.text }

  /// A budget of bytes per second for the body, alone or together with other transfers. Default: none.
  ///
  /// Works together with ``throttleBandwidth(withPacketSize:delay:)-(UInt,_)``; the slower of the two counts.
  public var bandwidthLimit: AFBandwidthLimit? {
    get { throttle.limit }
    set { throttle.limit = newValue }
  }

  /// The body as it is now. Parts that are appended later are not in it.
  /// - Returns: A stream, not opened yet.
  public func makeBodyStream() -> AFMultipartBodyStream {
    AFMultipartBodyStream(makeBody(throttle: throttle))
  }

  func makeBody(throttle: Throttle) -> MultipartBody {
    MultipartBody(boundary: boundary, parts: parts, throttle: throttle)
  }

  /// Adds a part.
  /// - Parameter part: The part.
  public func append(_ part: AFMultipartPart) {
    parts.append(part)
  }
}
