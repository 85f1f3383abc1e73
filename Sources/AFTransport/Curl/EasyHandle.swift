import CCurl

/// A libcurl easy handle with typed options; owns the handle, the header list and the error buffer.
///
/// Belongs to one thread. Options that libcurl refuses are remembered in ``firstFailure``, so that set-up code stays
/// readable and nothing is missed.
final class EasyHandle {
  private(set) var raw: UnsafeMutableRawPointer
  private let errorBuffer: UnsafeMutablePointer<CChar>
  /// Whether a multi handle has it.
  var isAdded = false
  /// The transfer that libcurl's callbacks are for; nil while the handle waits for one. The loop's table keeps it alive.
  unowned(unsafe) var transfer: Transfer?
  /// What its options are those of; see ``HandleProfile``.
  var profile: HandleProfile?
  /// Whether the multi handle's own options are set; see ``MultiHandle/add(_:)``.
  var hasMultiOptions = false
  private var lists: [(option: CURLoption, list: UnsafeMutablePointer<curl_slist>)] = []
  private(set) var firstFailure: (option: CURLoption, code: CURLcode)?

  /// Nil when libcurl has no memory for it.
  init?() {
    guard let raw = af_curl_easy_init() else { return nil }
    self.raw = raw
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    check(CURLOPT_ERRORBUFFER, af_curl_setopt_ptr(raw, CURLOPT_ERRORBUFFER, errorBuffer))
  }

  deinit {
    curl_easy_cleanup(raw)
    freeLists()
    errorBuffer.deallocate()
  }

  /// What every callback gets as its user pointer: the handle, which stays while transfers come and go.
  var userPointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The transfer that a callback's user pointer leads to.
  static func transfer(_ user: UnsafeMutableRawPointer?) -> Transfer? {
    user.flatMap { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue().transfer }
  }

  /// Forgets every option, so that the handle can serve another transfer. A method or body of the last one leaves no trace:
  /// libcurl clears all its settings, and every transfer sets all of its own.
  func reset() {
    curl_easy_reset(raw)
    freeLists()
    errorBuffer[0] = 0
    firstFailure = nil
    profile = nil
    hasMultiOptions = false
    check(CURLOPT_ERRORBUFFER, af_curl_setopt_ptr(raw, CURLOPT_ERRORBUFFER, errorBuffer))
  }

  /// Puts a copy with the same options in the place of libcurl's own handle, so that nothing is left of what that one has received
  /// (pitfall 60). Costs a tenth of setting them all.
  func renew() -> Bool {
    guard let copy = curl_easy_duphandle(raw) else { return false }
    curl_easy_cleanup(raw)
    raw = copy
    // What a multi handle lends is not copied.
    hasMultiOptions = false
    return true
  }

  /// Forgets the words about the last failure, and no option.
  func forgetFailure() { errorBuffer[0] = 0 }

  private func freeLists() {
    for (_, list) in lists { curl_slist_free_all(list) }
    lists.removeAll(keepingCapacity: true)
  }

  /// libcurl's own words about the last failure; empty if it had none.
  var errorText: String { String(cString: errorBuffer) }

  func set(_ option: CURLoption, _ value: Int) {
    check(option, af_curl_setopt_long(raw, option, value))
  }

  /// Sets an option that may as well be refused.
  func prefer(_ option: CURLoption, _ value: Int) {
    _ = af_curl_setopt_long(raw, option, value)
  }

  func set(_ option: CURLoption, off value: Int64) {
    check(option, af_curl_setopt_off(raw, option, curl_off_t(value)))
  }

  /// libcurl copies the string.
  func set(_ option: CURLoption, _ value: String?) {
    guard let value else { return check(option, af_curl_setopt_str(raw, option, nil)) }
    check(option, value.withCString { af_curl_setopt_str(raw, option, $0) })
  }

  func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) {
    check(option, af_curl_setopt_ptr(raw, option, value))
  }

  /// A list of lines, which libcurl does not copy: the handle keeps it, until the option is set again.
  func set(_ option: CURLoption, lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else { break }
      list = longer
    }
    check(option, af_curl_setopt_slist(raw, option, list))
    if let old = lists.firstIndex(where: { $0.option == option }) { curl_slist_free_all(lists.remove(at: old).list) }
    if let list { lists.append((option, list)) }
  }

  func setData(_ option: CURLoption, _ function: af_curl_data_fn?) {
    check(option, af_curl_setopt_data_fn(raw, option, function))
  }

  func setSeek(_ function: af_curl_seek_fn?) {
    check(CURLOPT_SEEKFUNCTION, af_curl_setopt_seek_fn(raw, function))
  }

  func setSSLContext(_ function: af_curl_ssl_ctx_fn?) {
    check(CURLOPT_SSL_CTX_FUNCTION, af_curl_setopt_ssl_ctx_fn(raw, function))
  }

  func setBeforeRequest(_ function: af_curl_prereq_fn?) {
    check(CURLOPT_PREREQFUNCTION, af_curl_setopt_prereq_fn(raw, function))
  }

  func setOpenSocket(_ function: af_curl_open_socket_fn?) {
    check(CURLOPT_OPENSOCKETFUNCTION, af_curl_setopt_open_socket_fn(raw, function))
  }

  func setCloseSocket(_ function: af_curl_close_socket_fn?) {
    check(CURLOPT_CLOSESOCKETFUNCTION, af_curl_setopt_close_socket_fn(raw, function))
  }

  func setDebug(_ function: af_curl_debug_fn?) {
    check(CURLOPT_DEBUGFUNCTION, af_curl_setopt_debug_fn(raw, function))
  }

  func long(_ info: CURLINFO) -> Int {
    var value = 0
    return af_curl_getinfo_long(raw, info, &value) == CURLE_OK ? value : 0
  }

  func off(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return af_curl_getinfo_off(raw, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  func string(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard af_curl_getinfo_str(raw, info, &value) == CURLE_OK, let value else { return nil }
    return String(cString: value)
  }

  private func check(_ option: CURLoption, _ code: CURLcode) {
    if code != CURLE_OK, firstFailure == nil { firstFailure = (option, code) }
  }
}
