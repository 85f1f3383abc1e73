internal import Foundation

enum DecodingProblem {
  /// What a decoder did not like, in one line, with the place but without the content.
  static func text(of error: any Error, in data: Data) -> String {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
      guard path.isEmpty else { return "\(path): \(context.debugDescription)" }
      return place(of: error, in: data).map { "\(context.debugDescription) \($0)" } ?? context.debugDescription
    default:
      return error.localizedDescription
    }
  }

  /// Where a document breaks the rules, in the words of Foundation's other reader: `JSONDecoder` does not say. Asked only
  /// once a document has been refused.
  private static func place(of error: any Error, in data: Data) -> String? {
    guard case DecodingError.dataCorrupted(let context) = error, context.debugDescription.hasSuffix("not valid JSON.")
    else { return nil }
    do {
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      return nil
    } catch {
      return (error as NSError).userInfo["NSDebugDescription"] as? String
    }
  }
}
