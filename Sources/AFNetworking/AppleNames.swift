#if AppleNames
  // Apple's names for this package's types. They stand in this module, so that they win over Foundation's for whoever reaches
  // those through it alone. A file that imports FoundationNetworking itself would meet both, which is why the trait is off
  // by default.

  /// The package's session.
  public typealias URLSession = AFURLSession
  /// The package's task.
  public typealias URLSessionTask = AFURLSessionTask
  /// The package's data task.
  public typealias URLSessionDataTask = AFURLSessionDataTask
  /// The package's upload task.
  public typealias URLSessionUploadTask = AFURLSessionUploadTask
  /// The package's download task.
  public typealias URLSessionDownloadTask = AFURLSessionDownloadTask
  /// The package's metrics.
  public typealias URLSessionTaskMetrics = AFURLSessionTaskMetrics
  /// The metrics of one request and its response.
  public typealias URLSessionTaskTransactionMetrics = AFURLSessionTaskTransactionMetrics
  /// What a TLS server presented.
  public typealias SecTrust = AFServerTrust
  /// A plain pointer: there is no autorelease pool on Linux.
  public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
#endif
