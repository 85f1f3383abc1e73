import Foundation
import Testing

@testable import AFCore

@Suite struct EventReconnectionTests {
  typealias Ending = EventReconnection.Ending

  private static func delay(
    _ ending: Ending, failures: Int = 1, serverTime: Double? = nil, random: Double = 0,
    _ change: (inout AFEventStream.Options) -> Void = { _ in }
  ) -> Double? {
    var options = AFEventStream.Options()
    change(&options)
    var reconnection = EventReconnection(options)
    var last: Double?
    for _ in 0..<failures { last = reconnection.delay(after: ending, serverTime: serverTime, random: random) }
    return last
  }

  @Test(
    arguments: [
      (.closed, true), (.failed(.timedOut), true), (.failed(.networkConnectionLost), true),
      (.failed(.cannotConnectToHost), true), (.failed(.cannotFindHost), true), (.failed(.cancelled), false),
      (.failed(.serverCertificateUntrusted), false), (.failed(.clientCertificateRequired), false),
      (.failed(.unsupportedURL), false), (.failed(.httpTooManyRedirects), false), (.unusable, false),
      (.refused(status: 503, retryAfter: nil), true), (.refused(status: 502, retryAfter: nil), true),
      (.refused(status: 429, retryAfter: nil), true), (.refused(status: 404, retryAfter: nil), false),
      (.refused(status: 401, retryAfter: nil), false), (.refused(status: 301, retryAfter: nil), false),
      (.refused(status: 501, retryAfter: nil), false),
    ] as [(Ending, Bool)]) func `A lost connection is followed by another, a refusal is not`(
      ending: Ending, isTried: Bool
    )
  {
    #expect((Self.delay(ending) != nil) == isTried)
    #expect(Self.delay(ending) { $0.reconnects = false } == nil)
  }

  @Test(arguments: [(1, 3.0), (2, 6), (3, 12), (4, 24), (5, 48), (6, 60), (2_000, 60)])
  func `The time doubles with each connection that brings nothing, up to the limit`(failures: Int, seconds: Double) {
    #expect(Self.delay(.closed, failures: failures) == seconds)
  }

  @Test(
    arguments: [
      (0, 0.0, 0.0), (1, 0, 1), (1, 1, 1.25), (-5, 0, 0), (59, 1, 60), (.infinity, 0, 60), (1e300, 0, 60), (.nan, 0, 0),
    ] as [(Double, Double, Double)]) func `The server's time holds, within the limit`(
      time: Double, random: Double, seconds: Double
    )
  {
    #expect(Self.delay(.closed, serverTime: time, random: random) == seconds)
  }

  @Test(arguments: [(5, 5.0), (1, 3), (1_000, 60), (.infinity, 60)] as [(Double, Double)])
  func `Retry-After is heeded, within the limit`(after: Double, seconds: Double) {
    #expect(Self.delay(.refused(status: 503, retryAfter: after)) == seconds)
  }

  @Test func `So many connections in a row may fail, and an event begins the count anew`() {
    var options = AFEventStream.Options()
    options.maximumFailures = 2
    var reconnection = EventReconnection(options)
    #expect(reconnection.delay(after: .closed, serverTime: nil, random: 0) == 3)
    #expect(reconnection.delay(after: .closed, serverTime: nil, random: 0) == 6)
    #expect(reconnection.delay(after: .closed, serverTime: nil, random: 0) == nil)
    reconnection.succeeded()
    #expect(reconnection.delay(after: .closed, serverTime: nil, random: 0) == 3)
  }
}
