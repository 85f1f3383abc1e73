import AFTransport
package import Foundation
package import FoundationNetworking

/// What a response says about the file that its body is written to, so far as is needed to go on with that file after the process was
/// killed. It holds nothing of the request, and so no secret.
package struct DownloadNote: Codable, Sendable, Equatable {
  /// The fields that say how parts of a resource belong together, and how long it is.
  private static let names = [
    "Accept-Ranges", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Date", "ETag",
    "Last-Modified",
  ]

  private let status: Int
  private let fields: [String: String]

  /// What the first response of a download says.
  package init(_ response: HTTPURLResponse) {
    status = response.statusCode
    fields = Self.names.reduce(into: [:]) { fields, name in
      fields[name] = response.value(forHTTPHeaderField: name)
    }
  }

  /// Resume data, as an error would have had it.
  /// - Parameters:
  ///   - request: The request that the download began with.
  ///   - file: The file that the download wrote, under the name that it had.
  ///   - length: Bytes in the file.
  /// - Returns: Nil if the download cannot be gone on with: nothing proves that another answer's bytes belong to these.
  package func resumeData(for request: URLRequest, file: URL, length: Int64) -> Data? {
    let hop = HopRequest(request)
    let lines = ["HTTP/1.1 \(status) "] + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let head = ResponseHead(bytes: Array(lines.map { $0 + "\r\n" }.joined().utf8))
    let decision = FirstDecision(RequestedRange(hop.value("Range")), PartAnswer(head))
    // Read as if it came from elsewhere, since it does: the file it names has to be a download's.
    return BodyInWriting(decision, head).resumeData(hop, length: length, path: file.path)?.data.flatMap {
      ResumeData($0)?.data
    }
  }
}
