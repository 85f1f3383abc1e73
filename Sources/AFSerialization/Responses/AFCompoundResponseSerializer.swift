internal import AFSupport
internal import CInitializers
public import Foundation
public import FoundationNetworking

/// Asks several serializers in turn; the first that gives a value wins.
open class AFCompoundResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let members: Locked<[any AFURLResponseSerialization]>

  /// Makes a serializer without members, which gives every body as `Data`.
  public override init() {
    members = Locked([])
    super.init()
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    var list: NSArray?
    if !(coder is CopyingCoder), coder.containsValue(forKey: Self.membersKey) {
      list = coder.decodeObject(of: [NSArray.self, AFHTTPResponseSerializer.self], forKey: Self.membersKey) as? NSArray
    }
    members = Locked(list?.compactMap { $0 as? AFHTTPResponseSerializer } ?? [])
    super.init(coder: coder)
  }

  /// Archives every option and the members, but for those that are no ``AFHTTPResponseSerializer``, which are not asked.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder { return }
    let members = members.withLock { $0 }
    coder.encode(members.compactMap { $0 as? AFHTTPResponseSerializer } as NSArray, forKey: Self.membersKey)
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let members = members.withLock { $0 }
    (copy as? AFCompoundResponseSerializer)?.members.change { $0 = members }
    return copy
  }

  private static let membersKey = "responseSerializers"

  /// The serializers, in the order in which they are asked.
  open var responseSerializers: [any AFURLResponseSerialization] { members.withLock { $0 } }

  /// Makes a serializer that asks others in turn.
  /// - Parameter responseSerializers: The others. Those that are no ``AFHTTPResponseSerializer`` are not asked, since they
  ///   could not say that a response is not theirs.
  /// - Returns: The serializer, made by `init()` of the class that was asked.
  @discardableResult
  open class func compoundSerializer(
    withResponseSerializers responseSerializers: [any AFURLResponseSerialization]
  ) -> Self {
    let result = made(self, af_make_response_serializer)
    result.members.change { $0 = responseSerializers }
    return result
  }

  /// Gives the value of the first serializer that has one.
  ///
  /// If there is none, the response is checked by this serializer's own status codes and content types, and its body given
  /// as `Data`, as ``AFHTTPResponseSerializer`` does.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set to the error of the serializer that gave the value, with the error that was there before underneath.
  ///     Errors of serializers that gave none are dropped.
  /// - Returns: The value, or the body.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    for case let serializer as AFHTTPResponseSerializer in responseSerializers {
      var failure: NSError?
      guard let value = serializer.responseObject(for: response, data: data, error: &failure) else { continue }
      if let error, let failure { error.pointee = failure.withUnderlying(error.pointee) }
      return value
    }
    return super.responseObject(for: response, data: data, error: error)
  }
}
