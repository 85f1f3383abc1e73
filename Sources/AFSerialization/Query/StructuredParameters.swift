internal import Foundation

/// Checks that parameters are JSON, or a property list, before Foundation writes them: its writers follow a structure that
/// holds itself, or is nested very deeply, until the stack is used up; and their errors do not say where.
struct StructuredParameters {
  /// What the parameters are to become.
  enum Format {
    case json
    case propertyList

    var name: String { self == .json ? "JSON" : "a property list" }

    /// AFNetworking's words, for JSON, which code compares with.
    var failureReason: String {
      self == .json
        ? "The `parameters` argument is not valid JSON." : "The `parameters` argument is not a valid property list."
    }
  }

  private enum Step {
    case key(String)
    case index(Int)
  }

  private let format: Format
  private var path: [Step] = []

  /// - Throws: `AFURLRequestSerializationError` that names the place and what is wrong there.
  static func check(_ parameters: Any, for format: Format) throws {
    var checker = StructuredParameters(format: format)
    switch ParameterValue(parameters) {
    case .dictionary, .array, .bottomless: break
    default:
      guard format == .propertyList else { throw checker.fault("must be an array or a dictionary to be JSON") }
    }
    try checker.check(parameters)
  }

  private init(format: Format) {
    self.format = format
  }

  private mutating func check(_ value: Any) throws {
    let type = type(of: value)
    // Most values are these, and comparing types costs less than looking at the value.
    if type == String.self || type == Int.self || type == Bool.self { return }
    switch ParameterValue(value) {
    case .text, .boolean, .integer: break
    case .null where format == .json: break
    case .data where format == .propertyList: break
    case .date where format == .propertyList: break
    case .floatingPoint(let number, _):
      guard number.isFinite || format == .propertyList else { throw inexpressible("\(number)") }
    case .array(let elements):
      try checkDepth()
      for (index, element) in elements.enumerated() {
        path.append(.index(index))
        try check(element)
        path.removeLast()
      }
    case .dictionary(let entries):
      try checkDepth()
      for entry in entries {
        guard entry.hasTextKey else {
          throw fault("has a key that is no text, which \(format.name) cannot express")
        }
        path.append(.key(entry.name))
        try check(entry.value)
        path.removeLast()
      }
    case .bottomless:
      throw fault(ParameterFlattener.tooDeep)
    case .null:
      throw inexpressible("null")
    case .data, .date, .set, .described, .opaque:
      throw inexpressible("a \(type)")
    }
  }

  private func checkDepth() throws {
    guard path.count < ParameterFlattener.maximumDepth else { throw fault(ParameterFlattener.tooDeep) }
  }

  private func inexpressible(_ what: String) -> AFURLRequestSerializationError {
    fault("is \(what), which \(format.name) cannot express")
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
      .invalidParameter(path: path, problem: problem), failureReason: format.failureReason)
  }
}
