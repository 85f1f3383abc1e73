import AFSupport
public import Foundation

extension AFMultipartForm: AFMultipartFormData {
  /// Adds a file. See ``AFMultipartFormData/appendPart(withFileURL:name:)``.
  public func appendPart(withFileURL fileURL: URL, name: String) throws {
    let type = MIMEType.forExtension(fileURL.pathExtension)
    try appendPart(withFileURL: fileURL, name: name, fileName: fileURL.lastPathComponent, mimeType: type)
  }

  /// Adds a file under another name and type. See ``AFMultipartFormData/appendPart(withFileURL:name:fileName:mimeType:)``.
  public func appendPart(withFileURL fileURL: URL, name: String, fileName: String, mimeType: String) throws {
    let content: AFMultipartContent
    do { content = try .file(fileURL) } catch { throw AFMultipartError(wrapping: error, partName: name) }
    append(AFMultipartPart(name: name, fileName: fileName, mimeType: mimeType, content: content))
  }

  /// Adds a stream. See ``AFMultipartFormData/appendPart(with:name:fileName:length:mimeType:)``.
  public func appendPart(
    with inputStream: InputStream?, name: String, fileName: String, length: Int64, mimeType: String
  ) {
    let content: AFMultipartContent =
      inputStream.map { .stream($0, length: length < 0 ? nil : length) } ?? .missingStream(length: length)
    append(AFMultipartPart(name: name, fileName: fileName, mimeType: mimeType, content: content))
  }

  /// Adds data as a file. See ``AFMultipartFormData/appendPart(withFileData:name:fileName:mimeType:)``.
  public func appendPart(withFileData data: Data, name: String, fileName: String, mimeType: String) {
    append(AFMultipartPart(name: name, fileName: fileName, mimeType: mimeType, content: .data(data)))
  }

  /// Adds a plain form field. See ``AFMultipartFormData/appendPart(withForm:name:)``.
  public func appendPart(withForm data: Data, name: String) {
    append(AFMultipartPart(name: name, content: .data(data)))
  }

  /// Adds a part with its own header fields. See ``AFMultipartFormData/appendPart(withHeaders:body:)``.
  public func appendPart(withHeaders headers: [String: String]?, body: Data) {
    append(AFMultipartPart(headers: headers ?? [:], content: .data(body)))
  }

  /// Sends the body in packets. See ``AFMultipartFormData/throttleBandwidth(withPacketSize:delay:)``.
  public func throttleBandwidth(withPacketSize numberOfBytes: UInt, delay: TimeInterval) {
    throttle.packets = PacketPacer.Settings(packetSize: numberOfBytes, delay: delay)
  }
}
