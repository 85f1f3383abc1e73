import AFTestSupport
import Foundation
import FoundationNetworking

/// When something goes wrong.
enum FaultMoment: String, CaseIterable, Sendable {
  case resolve, connect
  /// In the midst of the handshake.
  case tls = "TLS"
  case requestHead = "request headers"
  case requestBody = "request body"
  case responseHead = "response headers"
  case responseBody = "response body"
  case trailers
}

/// What goes wrong.
enum Fault: String, CaseIterable, Sendable {
  /// The peer says no: no such name, a closed port, a TLS alert, REFUSED_STREAM.
  case refuse
  case reset, close, stall
  /// A few bytes at a time, which is slow, and no fault.
  case drip
  /// What comes is not what the protocol allows.
  case garbage
}

/// What is done meanwhile.
enum FaultedTask: String, CaseIterable, Sendable {
  case data
  case uploadData = "upload: data"
  case uploadFile = "upload: file"
  case uploadStream = "upload: stream"
  case download
  case bytes = "bytes"
  case operation
  case operationToStream = "operation: to stream"

  var isUpload: Bool { self == .uploadData || self == .uploadFile || self == .uploadStream }
}

enum FaultProtocol: String, Sendable {
  case http1 = "HTTP/1.1"
  case http2 = "HTTP/2"
}

/// One cell of the matrix.
struct FaultCell: Sendable {
  let version: FaultProtocol
  let moment: FaultMoment
  let fault: Fault
  let task: FaultedTask

  var name: String { "\(version.rawValue): \(moment.rawValue) × \(fault.rawValue) × \(task.rawValue)" }

  /// Why there is no such cell, as a sign that ``FaultTable`` explains.
  var absence: FaultAbsence? {
    switch (moment, fault) {
    case (.requestBody, _) where !task.isUpload: .noBody
    case (.resolve, .reset), (.resolve, .close): .datagrams
    case (.resolve, _) where task == .operation || task == .operationToStream: .ownThread
    case (.connect, .drip), (.connect, .garbage): .noBytes
    case (.requestHead, .refuse), (.requestBody, .refuse), (.responseHead, .refuse), (.responseBody, .refuse),
      (.trailers, .refuse):
      version == .http1 ? .answers : nil
    default: nil
    }
  }

  /// How the task must end: nil for success, otherwise with one of these codes.
  var expectation: Set<URLError.Code>? {
    switch (moment, fault) {
    case (_, .drip): nil
    case (_, .stall): [.timedOut]
    case (.resolve, _): [.cannotFindHost]
    case (.connect, .refuse): [.cannotConnectToHost]
    // A reset that comes before the connection was looked at again is one more reason why there is none.
    case (.connect, .reset): [.cannotConnectToHost, .secureConnectionFailed]
    case (.connect, _), (.tls, _): [.secureConnectionFailed]
    case (.requestHead, .garbage), (.requestBody, .garbage), (.responseHead, .garbage), (.responseBody, .garbage),
      (.trailers, .garbage):
      version == .http1 ? [.badServerResponse] : [.networkConnectionLost]
    // REFUSED_STREAM asks for one more attempt, and a stream can be read only once. If the refusal comes before its first byte
    // has been read, there is a second attempt, and none after that. After the response's head the two may cross.
    case (.requestBody, .refuse), (.responseHead, .refuse):
      task == .uploadStream ? [.requestBodyStreamExhausted] : [.networkConnectionLost]
    case (_, .refuse):
      task == .uploadStream ? [.requestBodyStreamExhausted, .networkConnectionLost] : [.networkConnectionLost]
    default: [.networkConnectionLost]
    }
  }
}

extension FaultCell {
  /// Whether the task may also succeed: what is spoiled comes after a body whose length was announced.
  var mayArrive: Bool { version == .http2 && moment == .trailers && fault == .garbage }
}

enum FaultAbsence: String, CaseIterable, Sendable {
  case noBody = "a"
  case datagrams = "b"
  case noBytes = "c"
  case answers = "d"
  case ownThread = "e"

  var reason: String {
    switch self {
    case .noBody: "sends no body"
    case .datagrams: "names are asked for by datagrams, which have no connection to reset or close"
    case .noBytes: "a connection that is being made carries no bytes yet"
    case .answers: "an HTTP/1.1 server that refuses answers, and an answer is no fault"
    case .ownThread:
      "an operation begins its transfer on a thread that is outside the network of the faulty name server"
    }
  }
}
