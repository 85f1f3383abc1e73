public import Foundation

/// The JSON value without its nulls.
///
/// Dictionaries lose the keys whose value is null, arrays their null elements; empty containers stay, and a null that is
/// the whole value is returned as it is. The result is an `NSMutableDictionary` or `NSMutableArray` if `readingOptions` ask
/// for mutable containers; what is taken out of it is a Swift value, as always on Linux. What holds itself or is nested
/// deeper than 512 levels, which no JSON reader returns, is left as it is. Takes linear time.
/// - Parameters:
///   - JSONObject: A value as `JSONSerialization` returns it.
///   - readingOptions: The options it was read with.
/// - Returns: The value without nulls.
@discardableResult
public func AFJSONObjectByRemovingKeysWithNullValues(
  _ JSONObject: Any,
  _ readingOptions: JSONSerialization.ReadingOptions
) -> Any {
  let result = withoutNulls(JSONObject, depth: 0)
  guard readingOptions.contains(.mutableContainers) else { return result }
  switch result {
  case let dictionary as [String: Any]: return NSMutableDictionary(dictionary: dictionary)
  case let array as [Any]: return NSMutableArray(array: array)
  default: return result
  }
}

private func withoutNulls(_ value: Any, depth: Int) -> Any {
  guard depth < ParameterFlattener.maximumDepth else { return value }
  // Most values are texts and numbers, and comparing types costs less than a cast that fails.
  let type = type(of: value)
  if type == String.self || type == NSNumber.self || type == Bool.self { return value }
  if type is AnyClass, let object = value as? NSObject, FoundationContainer.isBottomless(object) { return value }
  switch value {
  case let dictionary as [String: Any]:
    return dictionary.compactMapValues { isNull($0) ? nil : withoutNulls($0, depth: depth + 1) }
  case let array as [Any]:
    return array.compactMap { isNull($0) ? nil : withoutNulls($0, depth: depth + 1) }
  default:
    return value
  }
}

/// By type: a cast of a Swift container to a class would first make Foundation's out of it, all the way down.
private func isNull(_ value: Any) -> Bool {
  type(of: value) == NSNull.self
}
