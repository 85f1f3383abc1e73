// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "AFNetworking",
  products: [
    .library(name: "AFNetworking", targets: ["AFNetworking"]),
    .library(name: "AFCore", targets: ["AFCore"]),
    .library(name: "AFSerialization", targets: ["AFSerialization"]),
    .library(name: "AFSecurity", targets: ["AFSecurity"]),
    .library(name: "AFReachability", targets: ["AFReachability"]),
    .library(name: "AFMultipart", targets: ["AFMultipart"]),
    .library(name: "AFImage", targets: ["AFImage"]),
    .library(name: "AFOperations", targets: ["AFOperations"]),
    .library(name: "AFImageOperations", targets: ["AFImageOperations"]),
    .library(name: "AFTransfer", targets: ["AFTransfer"]),
    .executable(name: "afnet", targets: ["afnet"]),
    .executable(name: "AFBenchmarks", targets: ["AFBenchmarks"]),
  ],
  traits: [
    .trait(
      name: "AppleNames",
      description: "Declares Apple's names (URLSessionDataTask, SecTrust, …) as aliases of this package's types."
    ),
    .trait(name: "Brotli", description: "Asks for, and undoes, the content coding br. Needs libbrotli-dev."),
    .trait(name: "Zstandard", description: "Asks for, and undoes, the content coding zstd. Needs libzstd-dev."),
  ],
  targets: [
    // C doors: what Swift cannot call (variadics, macros), and nothing else.
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CGdkPixbuf", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
    // Without pkgConfig: SwiftPM would warn of a missing file also where the trait is off.
    .systemLibrary(name: "CBrotli", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CNetlink"),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CInitializers"),

    .target(name: "AFSupport", dependencies: ["CLinux"]),
    .target(name: "AFMultipart", dependencies: ["AFSupport"]),
    .target(name: "AFSerialization", dependencies: ["AFSupport", "AFMultipart", "CInitializers"]),
    .target(name: "AFSecurity", dependencies: ["AFSupport", "COpenSSL"]),
    .target(name: "AFReachability", dependencies: ["AFSupport", "CNetlink"]),
    .target(
      name: "AFTransport",
      dependencies: [
        "AFSupport", "CCurl", "COpenSSL", "CZlib", "CLinux",
        .target(name: "CBrotli", condition: .when(traits: ["Brotli"])),
        .target(name: "CZstd", condition: .when(traits: ["Zstandard"])),
      ]
    ),
    .target(
      name: "AFCore",
      dependencies: [
        "AFSupport", "AFMultipart", "AFSerialization", "AFSecurity", "AFReachability", "AFTransport", "CInitializers",
        "CPSL",
      ]
    ),
    .target(
      name: "AFOperations",
      dependencies: [
        "AFCore", "AFSerialization", "AFSecurity", "AFReachability", "AFMultipart", "AFSupport", "CInitializers",
      ]
    ),
    .target(name: "AFImageOperations", dependencies: ["AFOperations", "AFImage", "AFSerialization"]),
    .target(name: "AFImage", dependencies: ["AFSupport", "AFSerialization", "CGdkPixbuf"]),
    .target(
      name: "AFTransfer",
      dependencies: [
        "AFCore", "AFMultipart", "AFReachability", "AFSecurity", "AFSerialization", "AFSupport", "CSQLite",
      ]
    ),
    .target(
      name: "AFNetworking",
      dependencies: ["AFCore", "AFSerialization", "AFSecurity", "AFReachability", "AFMultipart"]
    ),

    // The tool. The table of its arguments is a target of its own, without anything of the network.
    .target(name: "AFArguments"),
    .executableTarget(
      name: "afnet",
      dependencies: [
        "AFArguments", "AFCore", "AFMultipart", "AFReachability", "AFSecurity", "AFSerialization", "AFSupport",
        "CLinux",
      ]
    ),
    // Killed by the tests of AFTransfer, which look at what is left.
    .executableTarget(name: "transferprobe", dependencies: ["AFTransfer", "AFSupport"], path: "Tests/transferprobe"),
    .executableTarget(name: "quickstart", dependencies: ["AFNetworking", "AFTestSupport"]),
    .executableTarget(
      name: "AFBenchmarks",
      dependencies: [
        "AFNetworking", "AFCore", "AFMultipart", "AFOperations", "AFSecurity", "AFSerialization", "AFSupport",
        "AFTransport", "AFTestSupport", "CBenchmarkPeers",
      ],
      path: "Benchmarks/AFBenchmarks"
    ),
    .target(name: "CBenchmarkPeers", dependencies: ["CCurl", "COpenSSL"], path: "Benchmarks/CBenchmarkPeers"),

    .target(
      name: "AFTestSupport", dependencies: ["AFSupport", "CCurl", "COpenSSL", "CLinux"], path: "Tests/AFTestSupport"),
    .testTarget(name: "AFTestSupportTests", dependencies: ["AFTestSupport", "AFSupport"]),
    .testTarget(name: "AFSupportTests", dependencies: ["AFSupport", "AFTestSupport"]),
    .testTarget(name: "AFMultipartTests", dependencies: ["AFMultipart", "AFSupport", "AFTestSupport"]),
    .testTarget(
      name: "AFSerializationTests", dependencies: ["AFSerialization", "AFMultipart", "AFSupport", "AFTestSupport"]),
    .testTarget(name: "AFSecurityTests", dependencies: ["AFSecurity", "AFSupport", "AFTestSupport"]),
    .testTarget(
      name: "AFReachabilityTests",
      dependencies: ["AFReachability", "AFSupport", "AFTestSupport", "CNetlink"]
    ),
    .testTarget(
      name: "AFTransportTests",
      dependencies: ["AFTransport", "AFSupport", "AFTestSupport", "CCurl", "CLinux", "COpenSSL"]
    ),
    .testTarget(
      name: "AFCoreTests",
      dependencies: [
        "AFCore", "AFOperations", "AFSerialization", "AFSecurity", "AFMultipart", "AFReachability", "AFTransport",
        "AFSupport", "AFTestSupport",
      ]
    ),
    .testTarget(
      name: "AFOperationsTests",
      dependencies: [
        "AFOperations", "AFCore", "AFSerialization", "AFSecurity", "AFReachability", "AFMultipart", "AFSupport",
        "AFTestSupport",
      ]
    ),
    .testTarget(
      name: "AFImageTests",
      dependencies: ["AFImage", "AFImageOperations", "AFOperations", "AFSerialization", "AFTestSupport"]),
    .testTarget(
      name: "AFTransferTests",
      dependencies: ["AFTransfer", "AFCore", "AFSecurity", "AFSupport", "AFTestSupport", "CSQLite", "transferprobe"]
    ),
    .testTarget(name: "AFNetworkingTests", dependencies: ["AFNetworking", "AFTestSupport"]),
    .testTarget(name: "AFArgumentsTests", dependencies: ["AFArguments"]),
    .testTarget(
      name: "afnetTests", dependencies: ["afnet", "AFArguments", "AFSupport", "AFSecurity", "AFTestSupport"]),
    .testTarget(name: "AFBenchmarksTests", dependencies: ["AFBenchmarks", "AFSupport", "AFTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// `AF_TESTS=AFMultipartTests,AFSupportTests swift test` builds these test targets alone, with the executables that they run: for
// quick turns on a small machine. Everything is built when it is not set.
if var names = Context.environment["AF_TESTS"]?.split(separator: ",").map(String.init), !names.isEmpty {
  for case .byNameItem(let name, _) in package.targets.filter({ names.contains($0.name) }).flatMap(\.dependencies) {
    names.append(name)
  }
  let unwanted = package.targets.filter { target in
    !names.contains(target.name) && (target.type == .test || target.type == .executable)
  }
  package.targets.removeAll { target in unwanted.contains { $0.name == target.name } }
  package.products.removeAll { product in unwanted.contains { $0.name == product.name } }
}

// The fuzz targets exist only for `Scripts/fuzz`, which sets this and links them with libFuzzer's main.
if Context.environment["AF_FUZZ"] != nil {
  let fuzzers = [
    "FuzzNetlink": ["AFReachability"], "FuzzQuery": ["AFSerialization", "FuzzSupport"],
    "FuzzHeader": ["AFSerialization", "FuzzSupport"], "FuzzText": ["AFSerialization", "FuzzSupport"],
    "FuzzXML": ["AFSerialization", "FuzzSupport"], "FuzzPropertyList": ["AFSerialization", "FuzzSupport"],
    "FuzzJSON": ["AFSerialization", "FuzzSupport"], "FuzzImage": ["AFImage", "FuzzSupport"],
    "FuzzCertificate": ["AFSecurity", "FuzzSupport"], "FuzzPKCS12": ["AFSecurity", "FuzzSupport"],
    "FuzzPolicyFile": ["AFSecurity", "FuzzSupport"], "FuzzCacheControl": ["AFCore", "AFTransport", "FuzzSupport"],
    "FuzzLocation": ["AFCore", "AFSupport", "FuzzSupport"],
    "FuzzContentRange": ["AFCore", "AFTransport", "FuzzSupport"],
    "FuzzSetCookie": ["AFCore", "FuzzSupport"],
    "FuzzAuthenticate": ["AFCore", "FuzzSupport"],
    "FuzzMessageFraming": ["AFTransport", "FuzzSupport"], "FuzzChunkedBody": ["AFTransport", "FuzzSupport"],
    "FuzzContentCoding": ["AFTransport", "FuzzSupport"], "FuzzResponseHead": ["AFTransport", "FuzzSupport"],
  ]
  package.targets.append(.target(name: "FuzzSupport", path: "Fuzz/FuzzSupport"))
  for (name, dependencies) in fuzzers.sorted(by: { $0.key < $1.key }) {
    package.products.append(.library(name: name, type: .static, targets: [name]))
    package.targets.append(
      .target(name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, path: "Fuzz/\(name)")
    )
  }
}

// One place for the settings of every Swift target.
for target in package.targets where target.type != .system && target.name != "CBenchmarkPeers" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
  ]
}
