/// A content coding that can be undone here (RFC 9110 §8.4.1).
package enum ContentCoding: String, Sendable, CaseIterable {
  case gzip
  case deflate
  #if Brotli
    case brotli = "br"
  #endif
  #if Zstandard
    case zstandard = "zstd"
  #endif

  /// The coding of a name in lower case.
  init?(name: String) {
    guard let coding = name == "x-gzip" ? .gzip : Self(rawValue: name) else { return nil }
    self = coding
  }

  /// `Accept-Encoding` says what can be undone, and nothing else.
  static let acceptEncoding = allCases.map(\.rawValue).joined(separator: ", ")

  /// The layer that undoes it; nil without memory.
  func makeLayer() -> (any CodingLayer)? {
    switch self {
    case .gzip, .deflate: ZlibLayer(self)
    #if Brotli
      case .brotli: BrotliLayer()
    #endif
    #if Zstandard
      case .zstandard: ZstandardLayer()
    #endif
    }
  }
}

/// What the `Content-Encoding` fields of a response ask for.
package enum ContentCodingList: Equatable {
  /// The body goes out as it came: it has no coding, or one that is not understood. Then none is undone, so that the field,
  /// which the user sees, describes what the user gets.
  case asItIs
  /// In the order in which they were applied: the last is undone first.
  case undo([ContentCoding])
  /// Every one is understood, and there are more of them than anybody applies in good faith.
  case tooMany

  /// How many codings one body may have. Each costs memory, and multiplies what a small message can grow to.
  package static let maximum = 5

  /// Reads the values of all `Content-Encoding` fields, in order (RFC 9110 §5.3, §5.6.1, §8.4).
  package init(_ values: [String]) {
    var codings: [ContentCoding] = []
    for value in values {
      for member in value.split(separator: ",") {
        let name = member.lowercased().trimming { $0 == " " || $0 == "\t" }
        if name.isEmpty || name == "identity" { continue }
        guard let coding = ContentCoding(name: String(name)) else {
          self = .asItIs
          return
        }
        codings.append(coding)
      }
    }
    if codings.isEmpty {
      self = .asItIs
    } else {
      self = codings.count > Self.maximum ? .tooMany : .undo(codings)
    }
  }
}

extension String {
  fileprivate func trimming(_ isSpace: (Character) -> Bool) -> Substring {
    var slice = drop(while: isSpace)
    while let last = slice.last, isSpace(last) { slice.removeLast() }
    return slice
  }
}
