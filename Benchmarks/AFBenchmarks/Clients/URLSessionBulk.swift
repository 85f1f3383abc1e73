import AFMultipart
import Foundation
import FoundationNetworking

/// Uploads with URLSession: it makes no multipart body itself, so that it is handed this package's.
enum URLSessionUpload {
  /// Chunked: URLSession sends no Content-Length for a stream.
  static let stream = Client(
    name: "URLSession", summary: "FoundationNetworking: httpBodyStream with AFMultipart's body, chunked",
    needsSystemTrust: true, whyNot: URLSessionClient.whyNot
  ) { job, meter in
    let session = URLSessionClient.makeSession(connections: job.concurrency)
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: try URLSessionClient.url(job))
    request.httpMethod = "POST"
    try await send(job, meter, count: job.concurrency) { [request] in
      let form = try MultipartSample.makeForm(job)
      var request = request
      request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
      request.httpBodyStream = form.makeBodyStream()
      return try await session.data(for: request)
    }
  }

  /// The file as the whole body: what URLSession's own file upload costs, without multipart.
  static let file = Client(
    name: "URLSession-file", summary: "FoundationNetworking: uploadTask(fromFile:), the file as the whole body",
    isUsual: false, needsSystemTrust: true, whyNot: URLSessionClient.whyNot
  ) { job, meter in
    let session = URLSessionClient.makeSession(connections: job.concurrency)
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: try URLSessionClient.url(job))
    request.httpMethod = "POST"
    try await send(job, meter, count: job.concurrency * job.parts) { [request] in
      try await session.upload(for: request, fromFile: URL(fileURLWithPath: job.file))
    }
  }

  private static func send(
    _ job: Job, _ meter: Meter, count: Int, _ upload: @escaping @Sendable () async throws -> (Data, URLResponse)
  ) async throws {
    let bytes = try await BulkPace.measure(meter, count: count) { _ in
      let (data, response) = try await upload()
      try URLSessionClient.check(response)
      return try UploadReceipt.count(data)
    }
    try UploadReceipt.check(bytes, for: job)
  }
}

enum URLSessionDownload {
  static let client = Client(
    name: "URLSession", summary: "FoundationNetworking: downloadTask", needsSystemTrust: true,
    whyNot: URLSessionClient.whyNot
  ) { job, meter in
    let session = URLSessionClient.makeSession(connections: job.concurrency)
    defer { session.invalidateAndCancel() }
    let url = try URLSessionClient.url(job)
    let bytes = try await BulkPace.measure(meter, count: job.concurrency) { _ in
      try await withCheckedThrowingContinuation { continuation in
        session.downloadTask(with: url) { location, response, error in
          continuation.resume(
            with: Result {
              if let error { throw error }
              try URLSessionClient.check(response)
              return try DownloadCheck.take(location)
            })
        }.resume()
      }
    }
    try DownloadCheck.check(bytes, for: job)
  }
}
