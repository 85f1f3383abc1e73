extension AFURLSessionManager {
  /// What the session configuration cannot say: HTTP version, addresses, interface, proxies.
  ///
  /// It counts for the session that is made next: set it before the first request, or reset the session afterwards.
  public var transportOptions: AFTransportOptions {
    get { core.read { $0.transportOptions } }
    set { core.update { $0.transportOptions = newValue } }
  }
}
