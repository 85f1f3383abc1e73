import AFCore
import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

/// The holes of the old versions are not here: a policy is in force for each operation, and names are checked unless switched off.
@Suite struct OperationSecurityTests {
  private let authority: TestAuthority
  private let identity: TestIdentity

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issue(names: ["localhost"])
  }

  private func withServer(_ body: (TestServer) async throws -> Void) async throws {
    try await withTestServer(TestServer.Options(tls: TestTLS(identity)), handler: { _ in .text("reached") }, body)
  }

  private func trusting(_ mode: AFSSLPinningMode = .none, _ pins: [Data] = []) throws -> AFSecurityPolicy {
    let policy = AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: Set(pins))
    policy.anchorCertificates = [try AFCertificate(derRepresentation: authority.certificate)]
    policy.usesSystemAnchors = false
    return policy
  }

  private func client(_ server: TestServer, host: String = "localhost") -> AFHTTPClient {
    AFHTTPClient(baseURL: server.url("", host: host), sessionConfiguration: quietConfiguration())
  }

  private func status(_ operation: AFHTTPRequestOperation) async -> Int? {
    try? await operation.run()
    return operation.response?.statusCode
  }

  private func status(_ client: AFHTTPClient, _ change: (AFHTTPRequestOperation) -> Void = { _ in }) async -> Int? {
    let request = client.request(withMethod: "GET", path: "a", parameters: nil) as URLRequest
    let operation = client.httpRequestOperation(with: request, success: nil)
    change(operation)
    return await status(operation)
  }

  @Test func `An unknown authority is refused, and the client's policy may trust it`() async throws {
    try await withServer { server in
      let client = client(server)
      #expect(await status(client) == nil)
      client.securityPolicy = try trusting()
      #expect(await status(client) == 200)
    }
  }

  @Test func `Pins that do not match refuse the server, whatever the client's flags say`() async throws {
    try await withServer { server in
      let client = client(server)
      client.securityPolicy = try trusting(.publicKey, [authority.certificate])
      #expect(await status(client) == 200)
      let other = try TestAuthority.make()
      client.securityPolicy = try trusting(.publicKey, [other.certificate])
      client.allowsInvalidSSLCertificate = true
      #expect(client.allowsInvalidSSLCertificate && client.defaultSSLPinningMode == .publicKey)
      #expect(await status(client) == nil)
    }
  }

  @Test func `Invalid certificates alone open nothing; with the name check off they do`() async throws {
    try await withServer { server in
      let client = client(server)
      client.allowsInvalidSSLCertificate = true
      #expect(await status(client) == nil)
      client.securityPolicy.validatesDomainName = false
      #expect(await status(client) == 200)
    }
  }

  @Test func `A pinned server of another name is refused, and so was it not in 1.x`() async throws {
    try await withServer { server in
      let client = client(server, host: "127.0.0.1")
      client.securityPolicy = try trusting(.publicKey, [authority.certificate])
      #expect(await status(client) == nil)
      client.securityPolicy.validatesDomainName = false
      #expect(await status(client) == 200)
    }
  }

  @Test func `An operation's own policy counts for it alone`() async throws {
    try await withServer { server in
      let client = client(server)
      let policy = try trusting()
      #expect(await status(client, { $0.securityPolicy = policy }) == 200)
      #expect(await status(client) == nil)
      #expect(await status(client, { $0.securityPolicy = policy }) == 200)
      // One policy, one session: the second operation used the connection of the first.
      #expect(server.requests.map(\.connection).count == 2 && Set(server.requests.map(\.connection)).count == 1)
      let other = try trusting(.certificate, [TestAuthority.make().certificate])
      #expect(await status(client, { $0.securityPolicy = other }) == nil)
    }
  }

  @Test func `Changing the policy of an operation without a client changes no other's`() async throws {
    try await withServer { server in
      let url = server.url("a", host: "localhost")
      let open = AFHTTPRequestOperation(request: URLRequest(url: url))
      open.allowsInvalidSSLCertificate = true
      open.securityPolicy.validatesDomainName = false
      #expect(await status(open) == 200)
      #expect(await status(AFHTTPRequestOperation(request: URLRequest(url: url))) == nil)
    }
  }

  @Test func `A challenge block that leaves a server to default handling does not take the pins away`() async throws {
    try await withServer { server in
      let client = client(server)
      client.securityPolicy = try trusting(.publicKey, [TestAuthority.make().certificate])
      for answer in ["default", "continue", "password"] {
        let got = await status(client) { operation in
          operation.setWillSendRequestForAuthenticationChallenge { _, challenge in
            switch answer {
            case "default": challenge.sender?.performDefaultHandling(for: challenge)
            case "continue": challenge.sender?.continueWithoutCredential(for: challenge)
            default:
              challenge.sender?.use(URLCredential(user: "u", password: "p", persistence: .none), for: challenge)
            }
          }
        }
        #expect(got == nil, "\(answer)")
      }
      #expect(server.requestCount == 0)
    }
  }

  @Test func `A credential for passwords does not open a server that the policy refuses`() async throws {
    try await withServer { server in
      let client = client(server)
      client.defaultCredential = URLCredential(user: "u", password: "p", persistence: .none)
      #expect(await status(client) == nil)
    }
  }

  @Test func `A pinning policy on a client that is not for https refuses every request`() async throws {
    try await withTestServer(handler: { _ in .text("reached") }) { server in
      let client = makeClient(server)
      client.securityPolicy = try trusting(.publicKey, [authority.certificate])
      let operation = client.httpRequestOperation(with: get(server), success: nil)
      await #expect(throws: AFInvalidSecurityPolicyError.self) { try await operation.run() }
      #expect(server.requestCount == 0)
    }
  }
}
