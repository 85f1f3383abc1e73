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
  let result = withoutNulls(JSONObject, depth: 0) ?? JSONObject
  guard readingOptions.contains(.mutableContainers) else { return result }
  switch result {
  case let dictionary as [String: Any]: return NSMutableDictionary(dictionary: dictionary)
  case let array as [Any]: return NSMutableArray(array: array)
  default: return result
  }
}

/// The value without its nulls, or nil if it has none: what has none is shared with the original, not copied.
private func withoutNulls(_ value: Any, depth: Int) -> Any? {
  // Most values are texts and numbers, and comparing types costs less than a cast that fails.
  let type = type(of: value)
  if type == String.self || type == NSNumber.self || type == Bool.self { return nil }
  guard depth < ParameterFlattener.maximumDepth else { return nil }
  if type is AnyClass, let object = value as? NSObject, FoundationContainer.isBottomless(object) { return nil }
  switch value {
  case let dictionary as [String: Any]: return withoutNulls(dictionary, depth: depth)
  case let array as [Any]: return withoutNulls(array, depth: depth)
  default: return nil
  }
}

private func withoutNulls(_ dictionary: [String: Any], depth: Int) -> Any? {
  var result: [String: Any]?
  for (key, value) in dictionary {
    if isNull(value) {
      result = result ?? dictionary
      result?[key] = nil
    } else if let changed = withoutNulls(value, depth: depth + 1) {
      result = result ?? dictionary
      result?[key] = changed
    }
  }
  return result
}

private func withoutNulls(_ array: [Any], depth: Int) -> Any? {
  var result: [Any]?
  for (index, value) in array.enumerated() {
    if isNull(value) {
      result = result ?? Array(array[..<index])
    } else if let changed = withoutNulls(value, depth: depth + 1) {
      result = result ?? Array(array[..<index])
      result?.append(changed)
    } else {
      result?.append(value)
    }
  }
  return result
}

/// By type: a cast of a Swift container to a class would first make Foundation's out of it, all the way down.
private func isNull(_ value: Any) -> Bool {
  type(of: value) == NSNull.self
}
