// A first tour of AFNetworking on Linux. `Scripts/quickstart` builds and runs it.
//
// It talks HTTPS to a server in this process, so it needs no network. Each step prints one line; the tour ends with 0 only if
// every step held.

import AFNetworking

struct Planet: Codable, Equatable {
  var name: String
  var moons: Int
}

let tour = Tour()
let server = try TourServer()
let folder = try TourFolder()

// A manager for one service. The server's certificate must come from our own authority, and have the key that we pinned.
let manager = AFHTTPSessionManager(baseURL: server.url)
manager.securityPolicy = try policy(pinning: server.certificate)

func policy(pinning certificate: Data) throws -> AFSecurityPolicy {
  let policy = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [certificate])
  policy.anchorCertificates = [try AFCertificate(derRepresentation: server.authority)]
  return policy
}

await tour.step("GET JSON into a Codable type") {
  let planet: Planet = try await manager.get("planet", parameters: ["name": "Mars"])
  return planet == Planet(name: "Mars", moons: 2)
}

await tour.step("POST a form") {
  let answer = try await manager.post("form", parameters: ["title": "Fish & chips", "tags": ["a", "b"]])
  let echo = answer.value as? [String: Any]
  return echo?["body"] as? String == "tags%5B%5D=a&tags%5B%5D=b&title=Fish%20%26%20chips"
}

let original = try folder.makeFile("original", mebibytes: 256)
let copy = folder.file("copy")

await tour.step("upload 256 MiB in a multipart form", bytes: original.size) {
  let form = { (form: any AFMultipartFormData) in
    form.appendPart(withForm: Data("a holiday".utf8), name: "title")
    try form.appendPart(withFileURL: original.url, name: "video", fileName: "holiday.mp4", mimeType: "video/mp4")
  }
  let answer = try await manager.post("videos", constructingBodyWith: form, progress: tour.showProgress)
  return answer.statusCode == 201
}

await tour.step("download it back to a file", bytes: original.size) {
  manager.responseSerializer = AFHTTPResponseSerializer()
  try await manager.download("videos", to: copy, progress: tour.showProgress)
  return true
}

await tour.step("the copy has the SHA-256 of the original") {
  try folder.sha256(copy) == folder.sha256(original.url)
}

await tour.step("a server with another key than the pinned one is refused") {
  let requestCount = server.requestCount
  manager.securityPolicy = try policy(pinning: server.otherCertificate())
  do {
    _ = try await manager.get("planet")
    return false
  } catch let error as AFError {
    return error.urlError?.code == .serverCertificateUntrusted && server.requestCount == requestCount
  }
}

try server.stop()
folder.remove()
tour.end()
