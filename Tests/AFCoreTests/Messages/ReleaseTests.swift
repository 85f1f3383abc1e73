import AFCore
import AFReachability
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Dispatch
import Foundation
import FoundationNetworking
import Testing

/// F46: what the app hands over is never released while a lock is held that its deinitializer could want.
///
/// The locks are not recursive, so a deinitializer that comes back to the object that lets go of it would wait for ever.
@Suite struct ReleaseTests {
  /// Calls back when it is released.
  private final class Tattler: Sendable {
    private let tell: @Sendable () -> Void
    init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }
    deinit { tell() }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Hands over what holds `told`, and then something else in its place. `told` is called by the deinitializer.
    let run: @Sendable (_ manager: AFHTTPSessionManager, _ told: @escaping @Sendable () -> Void) -> Void

    init(
      _ name: String,
      _ hand: @escaping @Sendable (AFHTTPSessionManager, @escaping @Sendable () -> Void) -> Void,
      and replace: @escaping @Sendable (AFHTTPSessionManager) -> Void
    ) {
      testDescription = name
      run = { manager, told in
        hand(manager, told)
        replace(manager)
      }
    }
  }

  private final class Requests: AFHTTPRequestSerializer, @unchecked Sendable {
    let tattler = Locked<Tattler?>(nil)
  }

  private final class Responses: AFHTTPResponseSerializer, @unchecked Sendable {
    let tattler = Locked<Tattler?>(nil)
  }

  private final class Policy: AFSecurityPolicy, @unchecked Sendable {
    let tattler = Locked<Tattler?>(nil)
  }

  private final class Decoder: AFBodyDecoder {
    private let tattler: Tattler
    init(_ tattler: Tattler) { self.tattler = tattler }
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
      try JSONDecoder().decode(type, from: data)
    }
  }

  private static let request = URLRequest(url: URL(fileURLWithPath: "/nowhere"))

  private static let cases = [
    Case("a request serializer") { manager, told in
      let old = Requests()
      old.tattler.withLock {
        $0 = Tattler { [weak manager] in
          _ = manager?.requestSerializer
          told()
        }
      }
      manager.requestSerializer = old
    } and: {
      $0.requestSerializer = AFHTTPRequestSerializer()
    },
    Case("a response serializer") { manager, told in
      let old = Responses()
      old.tattler.withLock {
        $0 = Tattler { [weak manager] in
          _ = manager?.responseSerializer
          _ = manager?.tasks
          told()
        }
      }
      manager.responseSerializer = old
    } and: {
      $0.responseSerializer = AFHTTPResponseSerializer()
    },
    Case("a security policy") { manager, told in
      let old = Policy()
      old.tattler.withLock {
        $0 = Tattler { [weak manager] in
          _ = manager?.securityPolicy
          told()
        }
      }
      manager.securityPolicy = old
    } and: {
      $0.securityPolicy = .default()
    },
    Case("a block of the manager") { manager, told in
      let tattler = Tattler { [weak manager] in
        _ = manager?.tasks
        manager?.setTaskDidComplete { _, _, _ in }
        told()
      }
      manager.setTaskDidComplete { _, _, _ in withExtendedLifetime(tattler) {} }
    } and: {
      $0.setTaskDidComplete(nil)
    },
    Case("the refresh of a bearer token") { manager, told in
      let tattler = Tattler { [weak manager] in
        _ = manager?.completionQueue
        told()
      }
      manager.bearerAuthentication = AFBearerAuthentication { _ in
        withExtendedLifetime(tattler) {}
        throw URLError(.cancelled)
      }
    } and: {
      $0.bearerAuthentication = nil
    },
    Case("the serialization of a query") { manager, told in
      let serializer = manager.requestSerializer
      let tattler = Tattler { [weak serializer] in
        _ = serializer?.timeoutInterval
        told()
      }
      serializer.setQueryStringSerializationWith { _, _, _ in
        withExtendedLifetime(tattler) {}
        return nil
      }
    } and: {
      $0.requestSerializer.setQueryStringSerializationWith(nil)
    },
    Case("a decoder") { manager, told in
      let serializer = AFDecodableResponseSerializer<Int>()
      let tattler = Tattler { [weak serializer] in
        _ = serializer?.decoder
        told()
      }
      serializer.decoder = Decoder(tattler)
      manager.responseSerializer = serializer
    } and: {
      ($0.responseSerializer as? AFDecodableResponseSerializer<Int>)?.decoder = JSONDecoder()
    },
    Case("a reachability block") { manager, told in
      let reachability = AFNetworkReachabilityManager()
      let tattler = Tattler {
        _ = reachability.networkReachabilityStatus
        told()
      }
      reachability.setReachabilityStatusChange { _ in withExtendedLifetime(tattler) {} }
      manager.reachabilityManager = reachability
    } and: {
      $0.reachabilityManager.setReachabilityStatusChange(nil)
    },
    Case("blocks that were replaced before a task is resumed") {
      makeTask($0, $1)
    } and: { manager in
      for task in manager.tasks { task.resume() }
    },
    Case("blocks that were replaced before a task is cancelled") {
      makeTask($0, $1)
    } and: { manager in
      for task in manager.tasks { task.cancel() }
    },
    Case("the closures of a task that ends") { manager, told in
      let box = Locked<AFURLSessionDataTask?>(nil)
      let tattler = Tattler {
        box.withLock { $0 }?.suspend()
        told()
      }
      let task = manager.dataTask(with: request) { _, _, _ in
        withExtendedLifetime(tattler) {}
      }
      box.withLock { $0 = task }
    } and: { manager in
      for task in manager.tasks { task.cancel() }
    },
  ]

  /// A task that holds the last reference to a block of the manager's.
  private static func makeTask(_ manager: AFHTTPSessionManager, _ told: @escaping @Sendable () -> Void) {
    let box = Locked<AFURLSessionDataTask?>(nil)
    let tattler = Tattler {
      let task = box.withLock { $0 }
      _ = task?.state
      task?.cancel()
      told()
    }
    manager.setTaskDidComplete { _, _, _ in withExtendedLifetime(tattler) {} }
    let task = manager.dataTask(with: request) { _, _, _ in }
    box.withLock { $0 = task }
    manager.setTaskDidComplete(nil)
  }

  @Test(arguments: cases)
  func `F46: what is replaced is released with no lock held`(item: Case) async throws {
    let manager = AFHTTPSessionManager(baseURL: nil, sessionConfiguration: quietConfiguration())
    let isTold = Locked(false)
    let isDone = Locked(false)
    DispatchQueue.global().async {
      item.run(manager) { isTold.withLock { $0 = true } }
      isDone.withLock { $0 = true }
    }
    try await eventually("\(item.testDescription) is released and the call returns") {
      isTold.withLock { $0 } && isDone.withLock { $0 }
    }
  }
}
