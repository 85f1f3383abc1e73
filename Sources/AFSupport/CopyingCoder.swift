package import Foundation

/// A coder that hands values from one object's `encode(with:)` to another's `init(coder:)`, in memory and as they are.
///
/// It is how an open class copies itself. The copy must have the class of the original, which may be a subclass from
/// elsewhere, and `init(coder:)` is the one initializer that every subclass is sure to have. What a subclass encodes is
/// copied with it, and objects are passed by reference, so nothing has to support archiving.
package final class CopyingCoder: NSCoder {
  private var values: [String: Any] = [:]

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
  /// A new object of the very class of this one, made by `encode(with:)` and `init(coder:)`.
  package func copiedByCoding() -> Self {
    let coder = CopyingCoder()
    encode(with: coder)
    guard let copy = type(of: self).init(coder: coder) else {
      preconditionFailure("\(type(of: self)) returns nil from init(coder:); it must call super or override copy(with:)")
    }
    return copy
  }
}
