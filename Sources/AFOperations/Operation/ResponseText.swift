import AFSerialization
import Foundation
import FoundationNetworking

/// The text of a response, by AFNetworking's rule: the response's charset; without one ISO-8859-1 for `text` types, else UTF-8.
enum ResponseText {
  static func encoding(of response: HTTPURLResponse?) -> String.Encoding {
    if let name = response?.textEncodingName, let encoding = String.Encoding(ianaName: name) { return encoding }
    let isText = response?.mimeType?.lowercased().hasPrefix("text/") ?? false
    return isText && response?.textEncodingName == nil ? .isoLatin1 : .utf8
  }

  static func string(_ data: Data?, of response: HTTPURLResponse?) -> String? {
    guard let data else { return nil }
    let serializer = AFStringResponseSerializer()
    serializer.acceptableStatusCodes = nil
    serializer.stringEncoding = encoding(of: response).rawValue
    var error: NSError?
    return serializer.responseObject(for: response, data: data, error: &error) as? String
  }
}
