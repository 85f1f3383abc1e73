internal import Foundation
internal import FoundationNetworking

/// Everything an ``AFHTTPResponseSerializer`` can be told: the value behind its lock.
struct HTTPResponseSettings: Sendable {
  var acceptableStatusCodes: IndexSet? = IndexSet(200..<300)
  var acceptableContentTypes: Set<String>?
  var stringEncoding = String.Encoding.utf8.rawValue

  init() {}

  /// What is wrong with a response, by AFNetworking's rules: see ``AFHTTPResponseSerializer/validate(_:data:)``.
  static func fault(
    in response: HTTPURLResponse, data: Data?, types: Set<String>?, codes: IndexSet?
  ) -> AFURLResponseSerializationError? {
    guard response.url != nil else { return nil }
    var fault: AFURLResponseSerializationError?
    if let types, let data, !data.isEmpty {
      let type = response.mimeType
      if type.map({ !types.contains($0) }) ?? true {
        fault = AFURLResponseSerializationError(.unacceptableContentType(type), response: response, data: data)
      }
    }
    if let codes, !codes.contains(response.statusCode) {
      fault = AFURLResponseSerializationError(
        .unacceptableStatusCode(response.statusCode), response: response, data: data, underlyingError: fault)
    }
    return fault
  }
}

extension HTTPResponseSettings {
  private enum Key {
    static let codes = "acceptableStatusCodes"
    static let types = "acceptableContentTypes"
    static let stringEncoding = "stringEncoding"
  }

  /// Reads what an archive holds. Codes and types that it lacks are those of a serializer that checks neither.
  init(coder: NSCoder) {
    // Begin and end of each range by turns: IndexSet's own archive cannot be read with secure coding on Linux.
    if let bounds = coder.decodeStrings(forKey: Key.codes)?.compactMap({ Int($0) }), bounds.count.isMultiple(of: 2) {
      var codes = IndexSet()
      for index in stride(from: 0, to: bounds.count, by: 2)
      where 0 <= bounds[index] && bounds[index] < bounds[index + 1] {
        codes.insert(integersIn: bounds[index]..<bounds[index + 1])
      }
      acceptableStatusCodes = codes
    } else {
      acceptableStatusCodes = nil
    }
    acceptableContentTypes = coder.decodeStrings(forKey: Key.types).map { Set($0) }
    if coder.containsValue(forKey: Key.stringEncoding) {
      stringEncoding = UInt(bitPattern: coder.decodeInteger(forKey: Key.stringEncoding))
    }
  }

  func encode(with coder: NSCoder) {
    coder.encode(Int(bitPattern: stringEncoding), forKey: Key.stringEncoding)
    if let codes = acceptableStatusCodes {
      coder.encodeStrings(codes.rangeView.flatMap { ["\($0.lowerBound)", "\($0.upperBound)"] }, forKey: Key.codes)
    }
    if let types = acceptableContentTypes {
      coder.encodeStrings(types.sorted(), forKey: Key.types)
    }
  }
}
