import AFSerialization
import Foundation
import FoundationNetworking
import Testing

/// The shape of subclasses in real applications: one more option, `init(coder:)` through super, one override.
private final class EnvelopeSerializer: AFJSONResponseSerializer, @unchecked Sendable {
  // Unchecked because the base class is.
  let key: String

  init(key: String) {
    self.key = key
    super.init()
  }

  required init?(coder: NSCoder) {
    key = coder.decodeObject(of: NSString.self, forKey: "key") as String? ?? ""
    super.init(coder: coder)
  }

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(key as NSString, forKey: "key")
  }

  override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    let object = super.responseObject(for: response, data: data, error: error) as? [String: Any]
    if object?[key] == nil { error?.pointee = NSError(domain: "envelope", code: 1) }
    return object?[key]
  }
}

private final class SigningSerializer: AFJSONRequestSerializer, @unchecked Sendable {
  // Unchecked because the base class is.
  override init() { super.init() }
  required init?(coder: NSCoder) { super.init(coder: coder) }

  override func request(withMethod method: String, urlString: String, parameters: Any?, error: NSErrorPointer)
    -> NSMutableURLRequest
  {
    let request = super.request(withMethod: method, urlString: urlString, parameters: parameters, error: error)
    request.setValue("signed", forHTTPHeaderField: "X-Signature")
    return request
  }
}

@Suite struct SubclassTests {
  @Test("a subclass overrides the one method, and is copied with what it adds")
  func response() throws {
    let serializer = EnvelopeSerializer(key: "data")
    serializer.removesKeysWithNullValues = true
    let copy = try copied(serializer)
    #expect(copy.key == "data")
    #expect(copy.removesKeysWithNullValues)
    #expect(
      copy.outcome(AFSerializationTests.response(type: "text/json"), #"{"data":{"a":null}}"#).value is [String: Any])
    #expect(copy.outcome(AFSerializationTests.response(type: "text/json"), "{}").error?.domain == "envelope")
    let compound = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [serializer])
    #expect(compound.outcome(AFSerializationTests.response(type: "text/json"), #"{"data":1}"#).value as? Int == 1)
  }

  @Test("an override in the spelling of AFNetworking 3 takes effect in the other spelling")
  func request() throws {
    let request = try SigningSerializer().request(withMethod: "POST", urlString: "http://h", parameters: ["a": 1])
    #expect(request.value(forHTTPHeaderField: "X-Signature") == "signed")
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(
      try copied(SigningSerializer()).request(withMethod: "GET", urlString: "http://h", parameters: nil)
        .value(forHTTPHeaderField: "X-Signature") == "signed")
  }
}
