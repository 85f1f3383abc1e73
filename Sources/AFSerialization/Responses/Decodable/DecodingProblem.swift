internal import Foundation

enum DecodingProblem {
  /// What a decoder did not like, in one line, with the place but without the content.
  static func text(of error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
      return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    default:
      return error.localizedDescription
    }
  }
}
