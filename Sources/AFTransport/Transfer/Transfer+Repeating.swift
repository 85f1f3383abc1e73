import CCurl
import Foundation

extension Transfer {
  /// libcurl repeats a request on an HTTP/2 stream that the server refused unprocessed (RFC 9113 §8.7), just as it repeats one
  /// whose connection died. It says which only in words, so a request that must not be repeated lightly listens to them.
  func watchForRefusal() {
    guard !request.options.isIdempotent, httpVersion != Int(CURL_HTTP_VERSION_1_1) else { return }
    listenToLog(for: .refusal)
  }

  func heard(_ words: UnsafeRawBufferPointer) {
    if words.starts(with: "REFUSED_STREAM".utf8) {
      wasRefusedUnprocessed = true
    } else if words.starts(with: "Using Stream ID: ".utf8) {
      streamIdentifier = Self.number(in: words, after: "Stream ID: ")
    } else if words.starts(with: "[HTTP/2] [".utf8), Self.text(words).contains("] OPENED stream for ") {
      // The same since 8.0.
      streamIdentifier = Self.number(in: words, after: "[HTTP/2] [")
    } else if let streamIdentifier, let last = Self.number(in: words, after: "GOAWAY, error=0, last_stream=") {
      // RFC 9113 §6.8: streams above the last one were not touched.
      if last < streamIdentifier { wasRefusedUnprocessed = true }
    }
  }

  private static func text(_ words: UnsafeRawBufferPointer) -> String { String(decoding: words, as: UTF8.self) }

  private static func number(in words: UnsafeRawBufferPointer, after key: String) -> Int? {
    let text = text(words)
    guard let range = text.range(of: key) else { return nil }
    return Int(text[range.upperBound...].prefix { $0.isNumber })
  }

  /// Makes the transfer ready for one more attempt where libcurl should have made it, and did not.
  func canBeRepeated(after code: CURLcode) -> Bool {
    if isRefusalOfExpect { return goesOnWithoutExpect(after: code) }
    if isConnectionSpoilt { return code == CURLE_ABORTED_BY_CALLBACK && choosesAgain() }
    guard machine.failure == nil, wasLeftUntouched(code) || isAskedByProxyThatHungUp(code) else { return false }
    if source.isSent, !rewindBody() { return false }
    requestsBegun = 0
    isSendPaused = false
    isReceivePaused = false
    easy.set(CURLOPT_FRESH_CONNECT, 1)
    return true
  }

  /// Whether libcurl's verdict is that of a connection on which the server said goodbye: libcurl repeats what was refused stream
  /// by stream, but before 8.14 not this (pitfall 34). The state machine sees to it that there is only one more.
  private func wasLeftUntouched(_ code: CURLcode) -> Bool {
    LibcurlCapabilities.current.forgetsUntouchedRequests && code == CURLE_HTTP2
      && !Self.refusesFields(code, easy.errorText) && !machine.responseStarted && !machine.wasRepeated
      && (request.options.isIdempotent || wasRefusedUnprocessed)
  }

  /// Whether a proxy that speaks TLS has asked for credentials and hung up. On the connection that it makes then, libcurl takes
  /// TLS for done, and fails (pitfall 47). Its handle knows the question, and answers it when it begins anew.
  private func isAskedByProxyThatHungUp(_ code: CURLcode) -> Bool {
    guard LibcurlCapabilities.current.forgetsProxyThatHangsUp, code == CURLE_SEND_ERROR, usesSecureProxy,
      !machine.wasSent, !wasAskedByProxyThatHungUp, Self.answersProxy(request.options),
      easy.long(CURLINFO_HTTP_CONNECTCODE) == 407
    else { return false }
    wasAskedByProxyThatHungUp = true
    return true
  }
}
