// Talks to a server whose certificate a private authority issued, and whose key is pinned.
//
//   PinnedClient URL AUTHORITY.pem SERVER.pem
//
// Exit status: 0 answered, 1 failed, 2 wrong command line, 3 the server is not the pinned one.

import AFNetworking

func fail(_ message: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("PinnedClient: \(message)\n".utf8))
  exit(status)
}

let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count == 3 else { fail("usage: PinnedClient URL AUTHORITY.pem SERVER.pem", status: 2) }

func makePolicy(authority: URL, server: URL) throws -> AFSecurityPolicy {
  // The pin is the SHA-256 of the server's public key: a new certificate for the same key is accepted.
  let pins = try AFCertificate.certificates(contentsOf: server).map(\.publicKeyPin)
  let policy = AFSecurityPolicy(publicKeyPins: Set(pins))
  // Only this authority counts, not those of the system.
  policy.anchorCertificates = try AFCertificate.certificates(contentsOf: authority)
  policy.pinReportHandler = { report in
    let presented = report.presentedPins.map(\.description).joined(separator: ", ")
    FileHandle.standardError.write(Data("the server presented \(presented)\n".utf8))
  }
  return policy
}

guard let url = URL(string: words[0]) else { fail("\(words[0]) is no URL", status: 2) }
// A policy with pins needs to know whose they are: the base URL must be https.
let manager = AFHTTPSessionManager(baseURL: url)
manager.responseSerializer = AFHTTPResponseSerializer()
do {
  manager.securityPolicy = try makePolicy(
    authority: URL(fileURLWithPath: words[1]), server: URL(fileURLWithPath: words[2]))
} catch {
  fail("\(error)", status: 2)
}

do {
  let answer = try await manager.get(url.absoluteString)
  print("status \(answer.statusCode), \(answer.data.count) bytes")
} catch {
  // Nothing of the request has been sent when the certificate is refused.
  let isRefused = error.urlError?.code == .serverCertificateUntrusted
  fail(error.localizedDescription, status: isRefused ? 3 : 1)
}
