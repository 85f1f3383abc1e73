package import Foundation

/// A coder that hands values from one object's `encode(with:)` to another's `init(coder:)`, in memory and as they are.
///
/// It carries what a subclass adds to a copy. Our own classes encode nothing into it, since they copy their options themselves: it is
/// empty unless a subclass encodes something. Objects are passed by reference; nothing has to support archiving.
package final class CopyingCoder: NSCoder {
  private var values: [String: Any] = [:]

  /// Whether nothing was encoded.
  package var isEmpty: Bool { values.isEmpty }

  package override var allowsKeyedCoding: Bool { true }
  package override var requiresSecureCoding: Bool { false }
  package override func containsValue(forKey key: String) -> Bool { values[key] != nil }

  package override func encode(_ object: Any?, forKey key: String) { values[key] = object }
  package override func encodeConditionalObject(_ object: Any?, forKey key: String) { values[key] = object }
  package override func encode(_ value: Bool, forKey key: String) { values[key] = value }
  package override func encode(_ value: Int32, forKey key: String) { values[key] = Int(value) }
  package override func encode(_ value: Int64, forKey key: String) { values[key] = Int(value) }
  package override func encode(_ value: Int, forKey key: String) { values[key] = value }
  package override func encode(_ value: Float, forKey key: String) { values[key] = Double(value) }
  package override func encode(_ value: Double, forKey key: String) { values[key] = value }

  package override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {
    values[key] = bytes.map { NSData(bytes: $0, length: length) }
  }

  package override func decodeObject(forKey key: String) -> Any? { values[key] }
  package override func decodeBool(forKey key: String) -> Bool { values[key] as? Bool ?? false }
  package override func decodeInt32(forKey key: String) -> Int32 { Int32(clamping: decodeInteger(forKey: key)) }
  package override func decodeInt64(forKey key: String) -> Int64 { Int64(decodeInteger(forKey: key)) }
  package override func decodeInteger(forKey key: String) -> Int { values[key] as? Int ?? 0 }
  package override func decodeFloat(forKey key: String) -> Float { Float(decodeDouble(forKey: key)) }
  package override func decodeDouble(forKey key: String) -> Double { values[key] as? Double ?? 0 }

  package override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? { values[key] }
  package override func decodePropertyList(forKey key: String) -> Any? { values[key] }

  package override func decodeObject<Object: NSObject & NSCoding>(of type: Object.Type, forKey key: String) -> Object? {
    values[key] as? Object
  }

  package override func withDecodedUnsafeBufferPointer<Result>(
    forKey key: String,
    body: (UnsafeBufferPointer<UInt8>?) throws -> Result
  ) rethrows -> Result {
    guard let data = values[key] as? NSData else { return try body(nil) }
    let bytes = data.bytes.assumingMemoryBound(to: UInt8.self)
    return try body(UnsafeBufferPointer(start: bytes, count: data.length))
  }
}

extension NSCoding where Self: NSObject {
  /// A new object of the very class of this one, without the options of our classes.
  ///
  /// A subclass that encodes something has an `init(coder:)` that works, and gets it back that way. Any other is made by `fresh`, and
  /// its `init(coder:)`, which may be Xcode's `fatalError`, is not called.
  package func copied(fresh: () -> Self) -> Self {
    let coder = CopyingCoder()
    encode(with: coder)
    if coder.isEmpty { return fresh() }
    guard let copy = type(of: self).init(coder: coder) else {
      preconditionFailure("\(type(of: self)) returns nil from init(coder:); it must call super or override copy(with:)")
    }
    return copy
  }
}

/// The object that an initializer in CInitializers makes of a class.
/// - Parameters:
///   - type: The class.
///   - initializer: Gets the class as Swift hands it over, the address of its metadata, and returns an object that the caller owns.
/// - Returns: The object.
package func made<Object: AnyObject>(
  _ type: Object.Type, _ initializer: (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer
) -> Object {
  let object = initializer(unsafeBitCast(type as AnyClass, to: UnsafeMutableRawPointer.self))
  return Unmanaged.fromOpaque(object).takeRetainedValue()
}
