internal import AFSupport

/// Builds query strings: `name=value&name=value`, escaped.
package enum QueryString {
  /// Appends the parameters to the bytes of a longer text, after `separator` if there are any.
  /// - Throws: `AFURLRequestSerializationError` for what cannot be expressed, unless `isLenient`.
  package static func append(
    _ parameters: Any,
    encoding: AFQueryStringEncoding,
    isLenient: Bool = false,
    separator: UInt8? = nil,
    to target: inout [UInt8]
  ) throws {
    let space: PercentEncoding.Space = encoding.spaces == .plus ? .plus : .percent
    var separator = separator
    let flattener = ParameterFlattener(encoding: encoding, isLenient: isLenient)
    try flattener.flatten(parameters) { name, value in
      if let separator { target.append(separator) }
      separator = UInt8(ascii: "&")
      PercentEncoding.append(name, to: &target, space: space)
      if let text = value.text(booleans: encoding.booleans) {
        target.append(UInt8(ascii: "="))
        PercentEncoding.append(text, to: &target, space: space)
      }
    }
  }
}

/// The text, percent-escaped as a query key or value.
///
/// Left alone are letters, digits and `-._~/?`; everything else is escaped as UTF-8, the percent sign included, so text that
/// is already escaped is escaped again. Takes linear time for any text.
@discardableResult
public func AFPercentEscapedStringFromString(_ string: String) -> String {
  PercentEncoding.escaped(string)
}

/// The parameters as a query string, sorted by key, in AFNetworking's spelling.
///
/// This function cannot report an error: values that have no text form are described, and content that holds itself or is
/// nested deeper than 512 levels is left out. ``AFHTTPRequestSerializer`` refuses both instead.
/// - Parameter parameters: Scalars, nulls, and arrays, sets and dictionaries of them. See <doc:ParametersInAQuery>.
/// - Returns: The query, without a leading `?`; empty if there are no parameters.
@discardableResult
public func AFQueryStringFromParameters(_ parameters: [AnyHashable: Any]) -> String {
  AFQueryStringFromParameters(parameters, encoding: AFQueryStringEncoding())
}

/// The parameters as a query string, sorted by key, in a spelling of your choice.
///
/// See ``AFQueryStringFromParameters(_:)``.
/// - Parameters:
///   - parameters: Scalars, nulls, and arrays, sets and dictionaries of them.
///   - encoding: The spelling.
/// - Returns: The query, without a leading `?`; empty if there are no parameters.
@discardableResult
public func AFQueryStringFromParameters(
  _ parameters: [AnyHashable: Any],
  encoding: AFQueryStringEncoding
) -> String {
  var bytes: [UInt8] = []
  // Lenient, so that nothing is thrown.
  try? QueryString.append(parameters, encoding: encoding, isLenient: true, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}
