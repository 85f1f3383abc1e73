internal import AFSupport
public import Foundation
public import FoundationNetworking
internal import FoundationXML

/// Gives an `XMLDocument` of the body.
///
/// Default content types: `application/xml` and `text/xml`. The body is checked first, since `XMLDocument` on Linux reports
/// no error and crashes on an empty document. External entities are not loaded, unless ``options`` ask for it: a document
/// from elsewhere could otherwise read local files.
///
/// Foundation on Linux never gives back the memory of an `XMLDocument` (seen with Swift 6.3, some 6 KiB for a document of two
/// elements). A program that reads many of them in one process is better served by ``AFXMLParserResponseSerializer``.
open class AFXMLDocumentResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let mask: Locked<UInt>

  /// Makes a serializer without options.
  public override init() {
    mask = Locked(0)
    super.init()
    acceptableContentTypes = xmlContentTypes
  }

  /// Makes a serializer.
  /// - Parameter mask: Raw value of `XMLNode.Options`.
  public convenience init(xmlDocumentOptions mask: UInt) {
    self.init()
    options = mask
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    mask = Locked(UInt(bitPattern: coder.decodeInteger(forKey: "options")))
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder { return }
    coder.encode(Int(bitPattern: options), forKey: "options")
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let options = mask.withLock { $0 }
    (copy as? AFXMLDocumentResponseSerializer)?.mask.withLock { $0 = options }
    return copy
  }

  /// Raw value of the `XMLNode.Options` that the document is read with. Default: 0.
  open var options: UInt {
    get { mask.withLock { $0 } }
    set { mask.withLock { $0 = newValue } }
  }

  /// Gives the document of a body.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set if the response is refused, or the body is empty, not well-formed (`XMLParser.errorDomain`), or one
  ///     of those that ``AFXMLParserResponseSerializer`` refuses.
  /// - Returns: An `XMLDocument`; nil also, without an error, for an empty body whose status says that there is no content.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    decode(response, data: data, error: error) { data in
      if data.isEmpty {
        if response.hasNoContent { return nil }
        throw AFURLResponseSerializationError(.emptyBody, response: response, data: data)
      }
      try NoRoomForDocument.check(DecodedSize.ofMarkup(data))
      if let problem = try XMLPrecheck.problem(in: data) {
        throw AFURLResponseSerializationError(.undecodableBody(problem: problem), response: response, data: data)
      }
      let data = XMLInstructions.repaired(data)
      try XMLGuard.check(data)
      var options = XMLNode.Options(rawValue: options)
      let loading: XMLNode.Options = [.nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly]
      if options.isDisjoint(with: loading) { options.insert(.nodeLoadExternalEntitiesNever) }
      return try XMLDocument(data: data, options: options)
    }
  }
}
