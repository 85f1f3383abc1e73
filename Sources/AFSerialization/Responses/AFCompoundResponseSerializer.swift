internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Asks several serializers in turn; the first that gives a value wins.
open class AFCompoundResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; its one constant is set before anybody sees it.
  private let members: [any AFURLResponseSerialization]

  /// Makes a serializer without members, which gives every body as `Data`.
  public override init() {
    members = []
    super.init()
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    if let coder = coder as? CopyingCoder {
      members = coder.decodeObject(forKey: Self.membersKey) as? [any AFURLResponseSerialization] ?? []
    } else if coder.containsValue(forKey: Self.membersKey) {
      let list = coder.decodeObject(of: [NSArray.self, AFHTTPResponseSerializer.self], forKey: Self.membersKey)
      members = (list as? NSArray)?.compactMap { $0 as? AFHTTPResponseSerializer } ?? []
    } else {
      members = []
    }
    super.init(coder: coder)
  }

  /// Archives every option and the members, but for those that are no ``AFHTTPResponseSerializer``, which are not asked.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder {
      coder.encode(members, forKey: Self.membersKey)
    } else {
      coder.encode(members.compactMap { $0 as? AFHTTPResponseSerializer } as NSArray, forKey: Self.membersKey)
    }
  }

  private static let membersKey = "responseSerializers"

  /// The serializers, in the order in which they are asked.
  open var responseSerializers: [any AFURLResponseSerialization] { members }

  /// Makes a serializer that asks others in turn.
  /// - Parameter responseSerializers: The others. Those that are no ``AFHTTPResponseSerializer`` are not asked, since they
  ///   could not say that a response is not theirs.
  /// - Returns: The serializer.
  @discardableResult
  open class func compoundSerializer(
    withResponseSerializers responseSerializers: [any AFURLResponseSerialization]
  ) -> Self {
    // The one initializer that every subclass is sure to have is the coder's.
    let coder = CopyingCoder()
    AFHTTPResponseSerializer().encode(with: coder)
    coder.encode(responseSerializers, forKey: membersKey)
    guard let result = self.init(coder: coder) else {
      preconditionFailure("\(self) returns nil from init(coder:); it must call super")
    }
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
