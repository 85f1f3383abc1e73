import AFSupport

/// The last look at a request before it becomes bytes: whatever could end a line, or a field, early is refused.
enum RequestCheck {
  /// What is wrong with the request, for people; nil if nothing is.
  static func problem(_ request: TransferRequest) -> String? {
    if let fault = HTTPHeaderValidation.fault(inMethod: request.method) { return fault.description }
    guard request.url.allBytesSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "The URL holds a character that must be escaped"
    }
    for field in request.headers {
      if let fault = HTTPHeaderValidation.fault(inField: field.name, value: field.value) { return fault.description }
    }
    return nil
  }
}
