import AFTestSupport
import Foundation
import Testing

@testable import AFSecurity

/// F65: the system's authorities are those that OpenSSL finds.
@Suite struct SystemTrustTests {
  /// What is in the places that a system has.
  enum Layout: Int, CaseIterable {
    case file, hashedDirectory, linkedDirectory, directoryWithoutHashes, fileAndDirectory, twoDirectories, nothing
    case linkedFile
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: Layout.allCases)
  func `F65 openssl verify and the package agree on 26 chains with each layout`(layout: Layout) throws {
    var random = SeededGenerator(state: UInt64(65 + layout.rawValue))
    let keys = try KeyRing()
    let chains = try (0..<26).map { try MadeChain(index: $0, keys: keys, using: &random) }
    let roots = chains.enumerated().filter { $0.offset % 5 != 4 }.map(\.element.root)
    let places = try make(layout, roots)
    let theirs = try openSSLAccepts(chains, places)
    let store = TrustStore(anchors: [], places: places)
    var accepted = 0
    for (index, chain) in chains.enumerated() {
      let presented = chain.server.chain.compactMap { X509Handle(der: $0) }
      // The second time the path may be a remembered one.
      for _ in 0..<2 {
        let ours = (try? PathValidation(presented: presented, store: store).run()) != nil
        #expect(ours == theirs.contains(index), "chain \(index), \(chain.faults)")
        if ours { accepted += 1 }
      }
    }
    switch layout {
    case .directoryWithoutHashes, .nothing: #expect(accepted == 0)
    default: #expect(accepted > 10)
    }
  }

  @Test(arguments: [Layout.file, .hashedDirectory, .linkedDirectory, .fileAndDirectory])
  func `F65 curl agrees as well`(layout: Layout) async throws {
    let roots = try (0..<3).map { try TestAuthority.make(.authority("Root \($0)")) }
    let places = try make(layout, Array(roots.prefix(2)))
    let store = TrustStore(anchors: [], places: places)
    for root in roots {
      let leaf = try root.issueAuthority().issue(names: ["localhost"])
      let presented = leaf.chain.compactMap { X509Handle(der: $0) }
      let ours = (try? PathValidation(presented: presented, store: store).run()) != nil
      try await withTestServer(.init(tls: TestTLS(leaf)), handler: { _ in .text("hello") }) { server in
        let file = FileManager.default.isReadableFile(atPath: places.file) ? ["--cacert", places.file] : []
        let url = server.url("", host: "localhost").absoluteString
        let arguments = ["-s", "--max-time", "20", "--capath", places.directories[0], url] + file
        let theirs = try run("/usr/bin/curl", arguments).status == 0
        #expect(theirs == ours)
      }
    }
  }

  @Test(arguments: [Layout.file, .hashedDirectory])
  func `F65 what changes on disk counts`(layout: Layout) throws {
    let (first, second) = (try TestAuthority.make(.authority("A")), try TestAuthority.make(.authority("B")))
    let places = try make(layout, [first])
    let store = TrustStore(anchors: [], places: places, interval: 0)
    func accepts(_ authority: TestAuthority) throws -> Bool {
      let presented = try authority.issue(names: ["a.test"]).chain.compactMap { X509Handle(der: $0) }
      return (try? PathValidation(presented: presented, store: store).run()) != nil
    }
    let leaf = try first.issue(names: ["kept.test"]).chain.compactMap { X509Handle(der: $0) }
    func acceptsKept() -> Bool { (try? PathValidation(presented: leaf, store: store).run()) != nil }
    #expect(try accepts(first) && acceptsKept())
    #expect(try !accepts(second))
    try FileManager.default.removeItem(atPath: directory.file("places").path)
    _ = try make(layout, [second])
    #expect(try accepts(second))
    #expect(try !accepts(first))
    #expect(!acceptsKept(), "a remembered path to an authority that is gone")
  }

  @Test func `F65 the places are OpenSSL's own`() throws {
    let result = try run("/usr/bin/openssl", ["version", "-d"])
    let home = try #require(result.output.split(separator: "\"").dropFirst().first.map(String.init))
    let environment = ProcessInfo.processInfo.environment
    #expect(SystemPlaces.openSSL.file == environment["SSL_CERT_FILE"] ?? "\(home)/cert.pem")
    #expect(SystemPlaces.openSSL.directories == [environment["SSL_CERT_DIR"] ?? "\(home)/certs"])
    #expect(SystemPlaces.openSSL.stamp == SystemPlaces.openSSL.stamp)
  }

  /// Puts authorities into a layout.
  private func make(_ layout: Layout, _ roots: [TestAuthority]) throws -> SystemPlaces {
    let top = directory.file("places")
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        at: top.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    let (file, a, b) = ("\(top.path)/bundle.pem", "\(top.path)/a", "\(top.path)/b")
    func bundle(_ roots: some Sequence<TestAuthority>) throws {
      try Data(roots.map(\.certificatePEM).joined().utf8).write(to: URL(fileURLWithPath: file))
    }
    func fill(_ path: String, _ roots: some Sequence<TestAuthority>, hashed: Bool = true) throws {
      for (index, root) in roots.enumerated() {
        try Data(root.certificatePEM.utf8).write(to: URL(fileURLWithPath: "\(path)/root\(index).pem"))
      }
      guard hashed else { return }
      #expect(try run("/usr/bin/openssl", ["rehash", path]).status == 0)
    }
    let half = roots.count / 2
    switch layout {
    case .file: try bundle(roots)
    case .hashedDirectory: try fill(a, roots)
    case .linkedDirectory:
      try fill(b, roots)
      try FileManager.default.removeItem(atPath: a)
      try FileManager.default.createSymbolicLink(atPath: a, withDestinationPath: b)
    case .directoryWithoutHashes: try fill(a, roots, hashed: false)
    case .fileAndDirectory:
      try bundle(roots.prefix(half))
      try fill(a, roots.dropFirst(half))
    case .twoDirectories:
      try fill(a, roots.prefix(half))
      try fill(b, roots.dropFirst(half))
      return SystemPlaces(file: file, directories: [a, b])
    case .nothing: break
    case .linkedFile:
      try bundle(roots)
      try FileManager.default.moveItem(atPath: file, toPath: "\(file).real")
      try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "\(file).real")
    }
    return SystemPlaces(file: file, directories: [a])
  }

  /// The numbers of the chains that the command accepts with the same places for its own: in one go.
  private func openSSLAccepts(_ chains: [MadeChain], _ places: SystemPlaces) throws -> Set<Int> {
    let sent = Data(
      chains.flatMap { $0.server.intermediates }.map { CertificateText.pem(label: "CERTIFICATE", $0) }.joined().utf8)
    var arguments = [
      "SSL_CERT_FILE=\(places.file)", "SSL_CERT_DIR=\(places.directories.joined(separator: ":"))", "/usr/bin/openssl",
      "verify", "-partial_chain", "-untrusted", try directory.write(sent, to: "sent.pem").path, "-purpose", "sslserver",
      "-verify_depth", "16", "-auth_level", "2",
    ]
    for (index, chain) in chains.enumerated() {
      let leaf = Data(chain.server.certificatePEM.utf8)
      arguments.append(try directory.write(leaf, to: "leaf\(index).pem").path)
    }
    let lines = try run("/usr/bin/env", arguments).output.split(separator: "\n")
    return Set(chains.indices.filter { index in lines.contains { $0.hasSuffix("/leaf\(index).pem: OK") } })
  }
}
