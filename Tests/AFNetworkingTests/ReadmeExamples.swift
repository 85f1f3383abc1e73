// The examples of README.md, verbatim: `ReadmeTests` compares them, and runs them.

import AFNetworking

struct Item: Codable, Sendable {
  var id: Int
  var title: String
}

func loadItems() async throws -> [Item] {
  let manager = AFHTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1/"))
  return try await manager.get("items", parameters: ["page": 2])
}

func printItems(_ manager: AFHTTPSessionManager) {
  manager.completionQueue = DispatchQueue(label: "answers")
  manager.get("items", parameters: ["page": 2]) { task, response in
    print(response ?? "nothing")
  } failure: { task, error in
    print(error.localizedDescription)
  }
}

func upload(_ video: URL, with manager: AFHTTPSessionManager) async throws {
  let form = { (form: any AFMultipartFormData) in
    form.appendPart(withForm: Data("holiday".utf8), name: "album")
    try form.appendPart(withFileURL: video, name: "video")
    form.throttleBandwidth(withPacketSize: 65_536, delay: 0.01)
  }
  _ = try await manager.post("videos", constructingBodyWith: form) { progress in
    print("\(Int(progress.fractionCompleted * 100)) %")
  }
}

func makePinnedManager(_ server: Data, _ authority: Data, _ url: URL) throws -> AFHTTPSessionManager {
  let policy = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [server])
  policy.anchorCertificates = [try AFCertificate(derRepresentation: authority)]
  let manager = AFHTTPSessionManager(baseURL: url)
  manager.securityPolicy = policy
  return manager
}

func fetch(_ name: String, to file: URL, with manager: AFHTTPSessionManager) async -> String {
  do {
    manager.responseSerializer = AFHTTPResponseSerializer()
    try await manager.download("files/\(name)", to: file)
    return "saved"
  } catch {
    if error.isTimeout { return "too slow" }
    return error.statusCode.map { "refused with \($0)" } ?? error.localizedDescription
  }
}
