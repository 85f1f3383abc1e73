import CBenchmarkPeers

enum LibcurlUpload {
  static func run(_ job: Job, _ meter: Meter, buffer: Int, usesMime: Bool) throws {
    try job.url.withCString { url in
      try job.file.withCString { file in
        try withOptionalCString(job.authority) { authority in
          var options = afb_upload_options(
            url: url, ca_file: authority, file: file, concurrency: job.concurrency, parts: job.parts,
            upload_buffer: buffer, rate: job.rate, use_mime: usesMime ? 1 : 0)
          meter.start()
          let bytes = try withPeerError { afb_upload(&options, $0) }
          meter.stop(units: bytes)
          try UploadReceipt.check(bytes, for: job)
        }
      }
    }
  }
}

enum LibcurlDownload {
  static func run(_ job: Job, _ meter: Meter, buffer: Int) throws {
    try job.url.withCString { url in
      try job.directory.withCString { directory in
        try withOptionalCString(job.authority) { authority in
          var options = afb_download_options(
            url: url, ca_file: authority, directory: directory, concurrency: job.concurrency, receive_buffer: buffer)
          meter.start()
          let bytes = try withPeerError { afb_download(&options, $0) }
          meter.stop(units: bytes)
          try DownloadCheck.check(bytes, for: job)
        }
      }
    }
  }
}
