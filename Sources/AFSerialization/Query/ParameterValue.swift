package import Foundation

/// What an untyped parameter is, whatever type it came in: Swift's, Foundation's, or wrapped in optionals.
package enum ParameterValue {
  case null
  case text(String)
  case boolean(Bool)
  case integer(String)
  case floatingPoint(Double, description: String)
  case data(Data)
  case date(Date)
  case array([Any])
  case set([Any])
  case dictionary([Entry])
  /// A container of Foundation's that holds itself or is nested too deeply.
  case bottomless
  /// Something that can be described in words, such as a URL or a UUID.
  case described(String)
  /// A Swift value of a type that says nothing about how to write it.
  case opaque(Any.Type)

  /// A key, as text, and its value.
  package struct Entry {
    package var name: String
    package var value: Any
    /// Whether the key was a text to begin with.
    package var hasTextKey = true
  }

  package init(_ value: Any) {
    // The common types first, by identity: a failed cast costs more than all of these comparisons.
    let type = type(of: value)
    if type == String.self, let text = value as? String {
      self = .text(text)
    } else if type == Int.self, let number = value as? Int {
      self = .integer(number.description)
    } else if type == Bool.self, let flag = value as? Bool {
      self = .boolean(flag)
    } else if type == Double.self, let number = value as? Double {
      self = .floatingPoint(number, description: number.description)
    } else if type == [String: Any].self, let dictionary = value as? [String: Any] {
      self = .dictionary(dictionary.map { Entry(name: $0.key, value: $0.value) })
    } else if type == [String: String].self, let dictionary = value as? [String: String] {
      self = .dictionary(dictionary.map { Entry(name: $0.key, value: $0.value) })
    } else if type == [Any].self, let array = value as? [Any] {
      self = .array(array)
    } else {
      self.init(uncommon: value)
    }
  }

  private init(uncommon value: Any) {
    if Swift.type(of: value) is AnyClass, let object = value as? NSObject {
      self.init(object: object)
      return
    }
    switch value {
    case let optional as any OptionalParameter:
      self = optional.wrappedParameter.map { ParameterValue($0) } ?? .null
    case let number as any BinaryInteger:
      self = .integer(number.description)
    case let number as Float:
      self = .floatingPoint(Double(number), description: number.description)
    case let number as CGFloat:
      self = .floatingPoint(number.native, description: number.native.description)
    case let number as any BinaryFloatingPoint:
      self = .floatingPoint(Double(number), description: Double(number).description)
    case let number as Decimal:
      self = .integer(number.description)
    case let text as any StringProtocol:
      self = .text(String(text))
    case let data as Data:
      self = .data(data)
    case let date as Date:
      self = .date(date)
    case let dictionary as any DictionaryParameter:
      self = .dictionary(dictionary.parameterEntries)
    case let array as any ArrayParameter:
      self = .array(array.parameterElements)
    case let set as any SetParameter:
      self = .set(set.parameterMembers)
    case let text as any CustomStringConvertible:
      self = .described(text.description)
    default:
      self = .opaque(Swift.type(of: value))
    }
  }

  private init(object: NSObject) {
    switch object {
    case _ where FoundationContainer.isBottomless(object):
      self = .bottomless
    case is NSNull:
      self = .null
    case let text as NSString:
      self = .text(text as String)
    case let number as NSNumber:
      self.init(number: number)
    case let data as NSData:
      self = .data(data as Data)
    case let date as NSDate:
      self = .date(date as Date)
    case let dictionary as NSDictionary:
      self = .dictionary(dictionary.map { Entry(key: $0.key, value: $0.value) })
    case let array as NSArray:
      self = .array(array.map { $0 })
    case let set as NSSet:
      self = .set(set.map { $0 })
    case let set as NSOrderedSet:
      self = .array(set.map { $0 })
    default:
      self = .described(object.description)
    }
  }

  private init(number: NSNumber) {
    // A boolean NSNumber is one of two shared objects.
    if number === NSNumber(value: true) || number === NSNumber(value: false) {
      self = .boolean(number.boolValue)
    } else if number is NSDecimalNumber {
      self = .integer(number.description)
    } else {
      switch number.objCType.pointee {
      case CChar(UInt8(ascii: "f")):
        self = .floatingPoint(number.doubleValue, description: number.floatValue.description)
      case CChar(UInt8(ascii: "d")):
        self = .floatingPoint(number.doubleValue, description: number.doubleValue.description)
      default:
        self = .integer(number.stringValue)
      }
    }
  }
}

extension ParameterValue.Entry {
  fileprivate init(key: Any, value: Any) {
    let key = (key as? AnyHashable)?.base ?? key
    self.init(name: ParameterFlattener.text(of: key), value: value, hasTextKey: key is String)
  }
}

// How a value is asked for what it holds without knowing the types it is made of.

protocol OptionalParameter { var wrappedParameter: Any? { get } }
extension Optional: OptionalParameter {
  var wrappedParameter: Any? { self }
}

private protocol ArrayParameter { var parameterElements: [Any] { get } }
extension Array: ArrayParameter {
  fileprivate var parameterElements: [Any] { map { $0 } }
}

private protocol SetParameter { var parameterMembers: [Any] { get } }
extension Set: SetParameter {
  fileprivate var parameterMembers: [Any] { map { $0 } }
}

private protocol DictionaryParameter { var parameterEntries: [ParameterValue.Entry] { get } }
extension Dictionary: DictionaryParameter {
  fileprivate var parameterEntries: [ParameterValue.Entry] {
    map { ParameterValue.Entry(key: $0.key, value: $0.value) }
  }
}
