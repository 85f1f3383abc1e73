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
  /// Whether there is a number that Foundation's writers do not take, or write with an exponent where AFNetworking's did not.
  private var hasUncommonNumber = false

  /// The parameters as Foundation's writers take them: the same object, unless it holds numbers that those do not know.
  /// - Throws: `AFURLRequestSerializationError` that names the place and what is wrong there.
  static func checked(_ parameters: Any, for format: Format) throws -> Any {
    var checker = StructuredParameters(format: format)
    switch ParameterValue(parameters) {
    case .dictionary, .array, .bottomless: break
    default:
      guard format == .propertyList else { throw checker.fault("must be an array or a dictionary to be JSON") }
    }
    try checker.check(parameters)
    return checker.hasUncommonNumber ? withCommonNumbers(parameters) : parameters
  }

  private init(format: Format) {
    self.format = format
  }

  private mutating func check(_ value: Any) throws {
    let type = type(of: value)
    // Most values are these, and comparing types costs less than looking at the value.
    if type == String.self || type == Int.self || type == Bool.self { return }
    switch ParameterValue(value) {
    case .text, .boolean: break
    case .integer: hasUncommonNumber = hasUncommonNumber || type == Int128.self || type == UInt128.self
    case .null where format == .json: break
    case .data where format == .propertyList: break
    case .date where format == .propertyList: break
    case .floatingPoint(let number, _):
      guard number.isFinite || format == .propertyList else { throw inexpressible("\(number)") }
      let isCommon = type == Double.self || type == Float.self || type is AnyClass
      if !isCommon || ParameterValue.wholeNumber(number) != nil { hasUncommonNumber = true }
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

  /// A copy with other types in the places of those numbers. Only for what has been checked: it follows the structure.
  private static func withCommonNumbers(_ value: Any) -> Any {
    switch ParameterValue(value) {
    case .floatingPoint(let number, _):
      if let whole = ParameterValue.wholeNumber(number) { return whole }
      return number
    case .integer(let text) where type(of: value) == Int128.self || type(of: value) == UInt128.self:
      return NSDecimalNumber(string: text)
    case .array(let elements): return elements.map(withCommonNumbers)
    case .dictionary(let entries):
      return Dictionary(entries.map { ($0.name, withCommonNumbers($0.value)) }) { first, _ in first }
    default: return value
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
