import AFSerialization
import AFSupport
import Foundation

struct Lenient: AFBodyDecoder {
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSONDecoder().decode(type, from: Data("[4]".utf8))
  }
}

final class OwnChecks: AFHTTPResponseSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }
}

final class OwnJSONReading: AFJSONResponseSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }

  override var readingOptions: JSONSerialization.ReadingOptions {
    get { noting("readingOptions", .fragmentsAllowed) }
    set {}
  }

  override var removesKeysWithNullValues: Bool {
    get { noting("removesKeysWithNullValues", true) }
    set {}
  }
}

final class OwnPropertyListReading: AFPropertyListResponseSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }

  override var readOptions: PropertyListSerialization.ReadOptions {
    get { noting("readOptions", .mutableContainers) }
    set {}
  }
}

final class OwnText: AFStringResponseSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }
}

final class OwnDocuments: AFXMLDocumentResponseSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }

  override var options: UInt {
    get { noting("options", 0) }
    set {}
  }
}

final class OwnParsers: AFXMLParserResponseSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }
}

final class OwnDecoding: AFDecodableResponseSerializer<[Int]>, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }

  override var decoder: any AFBodyDecoder {
    get { noting("decoder", Lenient()) }
    set {}
  }
}

final class OwnMembers: AFCompoundResponseSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var responseSerializers: [any AFURLResponseSerialization] {
    noting("responseSerializers", [AFJSONResponseSerializer()])
  }

  override var acceptableStatusCodes: IndexSet? {
    get { noting("acceptableStatusCodes", IndexSet(200...299)) }
    set {}
  }

  override var acceptableContentTypes: Set<String>? {
    get { noting("acceptableContentTypes", ["text/own"]) }
    set {}
  }
}
