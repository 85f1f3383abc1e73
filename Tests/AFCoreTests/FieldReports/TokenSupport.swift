import AFCore
import AFSerialization
import AFSupport
import AFTestSupport

/// Counts refreshes, and gives one token after the other: "new1", "new2", …
final class TokenSource: Sendable {
  private let counter = Locked(0)
  let given = Recorder<AFBearerAuthentication.Token?>()

  var count: Int { counter.withLock { $0 } }

  func next(_ current: AFBearerAuthentication.Token?) -> AFBearerAuthentication.Token {
    given.record(current)
    let number = counter.withLock { count in
      count += 1
      return count
    }
    return .init("new\(number)")
  }
}

extension Result where Success == Int, Failure == AFError {
  var status: Int? { try? get() }
  var error: AFError? {
    if case .failure(let error) = self { return error }
    return nil
  }
}

struct RefreshFailed: Error, Hashable {}

extension AFHTTPSessionManager {
  static func make(_ server: TestServer, _ bearer: AFBearerAuthentication) -> AFHTTPSessionManager {
    let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
    manager.bearerAuthentication = bearer
    return manager
  }

  /// Twenty GETs at once; what each gave, in no order.
  func twenty() async -> [Result<Int, AFError>] {
    await withTaskGroup(of: Result<Int, AFError>.self) { group in
      for number in 0..<20 {
        group.addTask {
          do throws(AFError) {
            return .success(try await self.get("\(number)").statusCode)
          } catch {
            return .failure(error)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}

/// 200 for tokens that begin with "new", 401 with a Bearer challenge for others.
func guardedByToken(_ request: TestRequest) throws -> TestResponse {
  _ = try request.body()
  return request.value("Authorization")?.hasPrefix("Bearer new") == true
    ? .text("in") : TestResponse(401, headers: [("WWW-Authenticate", "Bearer")], body: .bytes(Array("no".utf8)))
}
