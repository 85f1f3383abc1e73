import CCurl

extension Transfer {
  /// Whether the head that is complete is a 417 to an expectation of the caller's, so that the request is repeated, once and
  /// without it (RFC 9110 §10.1.1, §15.5.18). libcurl repeats on a connection that is kept, but with the caller's field.
  func refusesExpect() -> Bool {
    guard ResponseHead(bytes: machine.head).statusCode == 417, !hasDroppedExpect, source.isSent,
      request.headers.contains(where: { $0.isExpectContinue }), bytesHandedOver == 0 || source.isReplayable
    else { return false }
    hasDroppedExpect = true
    isRefusalOfExpect = true
    setHeaders()
    easy.profile = nil
    return true
  }

  /// libcurl has not repeated it, since the server hangs up.
  func goesOnWithoutExpect(after code: CURLcode) -> Bool {
    guard code == CURLE_OK, machine.failure == nil, rewindBody() else { return false }
    if LibcurlCapabilities.current.keepsFreedFields, !easy.renew() { return false }
    isRefusalOfExpect = false
    requestsBegun = 0
    return true
  }
}

extension TransferRequest.HeaderField {
  /// Whether the field asks the server to say whether it wants the body.
  var isExpectContinue: Bool { name.lowercased() == "expect" && value.lowercased().hasPrefix("100-continue") }
}
