// swift-tools-version: 6.2
import PackageDescription

// Each executable depends on the one product that it needs, as yours would.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "AFNetworking", path: "..", traits: ["AppleNames"])],
  targets: [
    .executableTarget(
      name: "UploadWithProgress", dependencies: [.product(name: "AFNetworking", package: "AFNetworking")]),
    .executableTarget(name: "PinnedClient", dependencies: [.product(name: "AFNetworking", package: "AFNetworking")]),
    .executableTarget(name: "DownloadManager", dependencies: [.product(name: "AFNetworking", package: "AFNetworking")]),
    .executableTarget(
      name: "WatchReachability", dependencies: [.product(name: "AFReachability", package: "AFNetworking")]),
    .executableTarget(
      name: "MigratedApp", dependencies: [.product(name: "AFNetworking", package: "AFNetworking")],
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
