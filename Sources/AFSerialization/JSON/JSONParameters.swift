internal import Foundation

/// Checks that parameters are JSON before Foundation writes them: its writer follows a structure that holds itself, or is
/// nested very deeply, until the stack is used up.
struct JSONParameters {
  /// AFNetworking's words, which code compares with.
  static let failureReason = "The `parameters` argument is not valid JSON."

  private var path: [Step] = []

  private enum Step {
    case key(String)
    case index(Int)
  }

  /// - Throws: `AFURLRequestSerializationError` that names the place and what is wrong there.
  static func check(_ parameters: Any) throws {
    var checker = JSONParameters()
    switch ParameterValue(parameters) {
    case .dictionary, .array, .bottomless: try checker.check(parameters)
    default: throw checker.fault("must be an array or a dictionary to be JSON")
    }
  }

  private mutating func check(_ value: Any) throws {
    let type = type(of: value)
    if type == String.self || type == Int.self || type == Bool.self { return }
    switch ParameterValue(value) {
    case .null, .text, .boolean, .integer: break
    case .floatingPoint(let number, _):
      guard number.isFinite else { throw fault("is \(number), which JSON cannot express") }
    case .array(let elements):
      try checkDepth()
      for (index, element) in elements.enumerated() {
        path.append(.index(index))
        try check(element)
        path.removeLast()
      }
    case .dictionary(let entries):
      try checkDepth()
      for (key, value) in entries {
        guard let key = (key as? String) ?? ((key as? AnyHashable)?.base as? String) else {
          throw fault("has a key that is no text, which JSON cannot express")
        }
        path.append(.key(key))
        try check(value)
        path.removeLast()
      }
    case .bottomless:
      throw fault(ParameterFlattener.tooDeep)
    case .data, .date, .set, .described, .opaque:
      throw fault("is a \(type), which JSON cannot express")
    }
  }

  private func checkDepth() throws {
    guard path.count < ParameterFlattener.maximumDepth else { throw fault(ParameterFlattener.tooDeep) }
  }

  private func fault(_ problem: String) -> AFURLRequestSerializationError {
    // Of a deep path, the beginning says enough.
    let path = path.prefix(32).reduce(into: "") { text, step in
      switch step {
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .index(let index): text += "[\(index)]"
      }
    }
    return AFURLRequestSerializationError(
      .invalidParameter(path: path, problem: problem), failureReason: Self.failureReason)
  }
}
