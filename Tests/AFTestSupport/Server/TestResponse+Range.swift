extension TestResponse {
  /// The part of ``TestPattern``'s first `total` bytes that the request's `Range` asks for: 206, 416, or the whole with 200
  /// where there is no range, or where `If-Range` names another validator.
  package static func ranged(
    _ request: TestRequest, total: Int64, entityTag: String? = "\"v1\"", lastModified: String? = nil
  ) -> TestResponse {
    var response = TestResponse.pattern(total).with("Accept-Ranges", "bytes")
    if let entityTag { response = response.with("ETag", entityTag) }
    if let lastModified { response = response.with("Last-Modified", lastModified) }
    if let condition = request.value("If-Range"), condition != entityTag, condition != lastModified { return response }
    guard let value = request.value("Range"), value.hasPrefix("bytes=") else { return response }

    let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return response }
    var (first, last) = (Int64(ends[0]), Int64(ends[1]))
    if first == nil, let suffix = last { (first, last) = (max(0, total - suffix), nil) }
    guard let first, first < total, first <= last ?? first else {
      return TestResponse(416).with("Content-Range", "bytes */\(total)")
    }
    let end = min(last ?? total - 1, total - 1)
    response.status = 206
    response.body = .pattern(offset: first, count: end - first + 1)
    return response.with("Content-Range", "bytes \(first)-\(end)/\(total)")
  }
}
