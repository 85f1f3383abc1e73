import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

@testable import AFCore

/// What follows, as a row of a table says it.
func spoken(_ followUp: FollowUp) -> String {
  switch followUp {
  case .final: "final"
  case .again(let request): "again \(request.method) \(request.url)"
  case .ask(.redirect(let request)): "ask redirect \(request.method) \(request.url)"
  case .ask(.bodyStream(let request)): "ask stream \(request.method) \(request.url)"
  case .ask(.credentials(let question)):
    "ask credentials \(question.challenge.asker.isProxy ? "proxy" : "server") \(question.first.scheme)"
  case .ask(.trust): "ask trust"
  case .ask(.identity): "ask identity"
  case .ask(.network(let error)): "ask network \(error.code.rawValue)"
  case .replay: "replay"
  case .fail(let error as URLError): "fail \(error.code.rawValue)"
  case .fail: "fail"
  case .refuse: "refuse"
  }
}

func responseHead(_ status: Int, _ fields: [String] = []) -> ResponseHead {
  ResponseHead(bytes: Array("HTTP/1.1 \(status) Some\r\n\(fields.map { $0 + "\r\n" }.joined())".utf8))
}

/// A body stream that has been read, or not yet.
func streamBody(isSpent: Bool) throws -> TaskBody {
  let body = StreamBody(InputStream(data: Data("body".utf8)))
  if isSpent {
    let reader = try body.makeReader(length: 4)
    withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { _ = reader.read(into: $0) }
  }
  return .stream(body)
}

/// A response to `GET http://a/x` that is kept.
func storedResponse(_ fields: [String], at now: Double, url: String = "http://a/x") throws -> StoredResponse {
  let head = responseHead(200, fields)
  guard let address = URL(string: url),
    let response = HTTPURLResponse(
      url: address, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: head.dictionary)
  else { throw URLError(.badURL) }
  return StoredResponse(
    CachedURLResponse(response: response, data: Data("kept".utf8)), CacheRules(head, requested: now, received: now),
    selector: nil)
}
