package import Foundation

/// A part of a multipart body: header fields and content.
public struct AFMultipartPart: Sendable {
  var headers: PartHeaders
  let name: String?
  /// Whether the content stands in the body by itself: no delimiter, no header block.
  var isBare = false

  /// What the part consists of.
  public let content: AFMultipartContent

  /// A form field, or with a file name a file.
  /// - Parameters:
  ///   - name: The name of the form field.
  ///   - fileName: The file name to announce, if it is a file.
  ///   - mimeType: The MIME type to announce, if any.
  ///   - headers: Further header fields, sent in this order after Content-Disposition and Content-Type.
  ///   - content: What the part consists of.
  public init(
    name: String,
    fileName: String? = nil,
    mimeType: String? = nil,
    headers: KeyValuePairs<String, String> = [:],
    content: AFMultipartContent
  ) {
    self.headers = PartHeaders(name: name, fileName: fileName, mimeType: mimeType)
    self.headers.fields += headers.map { ($0.key, $0.value) }
    self.name = name
    self.content = content
  }

  /// A part with these header fields and no others.
  /// - Parameters:
  ///   - headers: Content-Disposition is sent first, Content-Type next, the others by name.
  ///   - content: What the part consists of.
  public init(headers: [String: String], content: AFMultipartContent) {
    self.headers = PartHeaders(headers)
    name = nil
    self.content = content
  }

  /// Bytes that stand in the body as they are, between two parts.
  package init(bare data: Data) {
    self.init(headers: [:], content: .data(data))
    isBare = true
  }

  /// A multipart body as one part of another: its header names the boundary of the inner one.
  /// - Parameters:
  ///   - name: The name of the form field.
  ///   - form: The inner form, as it is now; its throttle does not count.
  ///   - subtype: What comes after `multipart/` in the Content-Type. Default: `mixed`, RFC 2046.
  public init(name: String, multipart form: AFMultipartForm, subtype: String = "mixed") {
    self.init(
      name: name,
      mimeType: "multipart/\(subtype); boundary=\(form.boundaryText)",
      content: .multipart(form)
    )
  }
}
