import AFMultipart
import AFSupport
import Foundation

/// The body that every client of `upload` and `stream` makes: three text fields, then the file.
enum MultipartSample {
  static let fields = [("title", "A large file"), ("author", "Ada Lovelace"), ("revision", "42")]

  static func fill(_ form: any AFMultipartFormData, for job: Job) throws {
    for (name, value) in fields { form.appendPart(withForm: Data(value.utf8), name: name) }
    for _ in 0..<job.parts {
      try form.appendPart(
        withFileURL: URL(fileURLWithPath: job.file), name: "file", fileName: "large.bin",
        mimeType: "application/octet-stream")
    }
    if job.rate > 0, let form = form as? AFMultipartForm {
      form.bandwidthLimit = AFBandwidthLimit(bytesPerSecond: Int(job.rate))
    }
    if job.delay > 0 { form.throttleBandwidth(withPacketSize: UInt(job.packet), delay: job.delay) }
  }

  static func makeForm(_ job: Job) throws -> AFMultipartForm {
    let form = AFMultipartForm()
    try fill(form, for: job)
    return form
  }
}
