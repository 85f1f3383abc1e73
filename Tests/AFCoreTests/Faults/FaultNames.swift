import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking

/// Faults while a name is looked up: a network of its own, whose name server does as the name says.
final class FaultNames: Sendable {
  private let namespace: TestNamespace
  private let server: TestNameServer
  private let plain: TestServer
  private let healed: Recorder<String>
  /// What these servers hold for as long as they live.
  let descriptors: Int

  init() async throws {
    let before = ProcessSnapshot.take().descriptors
    let healed = Recorder<String>()
    namespace = try TestNamespace()
    server = try await TestNameServer(in: namespace) { name in
      guard !healed.values.contains(name), let word = name.split(separator: "-").first else {
        return .loopback()
      }
      return switch Fault(rawValue: String(word)) {
      case .refuse: .unknown
      case .stall: .silence
      case .garbage: .garbage
      default: .loopback(after: 0.02)
      }
    }
    plain = try await namespace.run { try TestServer { _ in .text("here") } }
    self.healed = healed
    descriptors = ProcessSnapshot.take().descriptors - before
  }

  func stop() {
    try? plain.stop()
    server.stop()
  }

  func run(_ cell: FaultCell, _ identity: TestIdentity, _ policy: AFSecurityPolicy) async throws -> String {
    let label = cell.task.rawValue.filter { $0 != ":" && $0 != " " }
    let host = "\(cell.fault.rawValue)-\(label).fault.test"
    let run = try FaultRun(cell, policy: policy)
    let scene = try await namespace.run { [plain] in
      // The engine's thread is made by the first task, here, and so it lives in this network; libcurl's resolver does too.
      run.manager.dataTask(with: URLRequest(url: plain.url()), completionHandler: { _, _, _ in }).resume()
      return try FaultScene.make(cell, identity, host: host)
    }
    _ = try run.start(scene.url)
    let word = try await run.judge()
    healed.record(host)
    scene.heal()
    await run.goOn(scene.url)
    try scene.stop()
    return word
  }
}
