internal import AFSupport
internal import Foundation

/// The headers that every new request serializer starts with. They are worked out once per process.
enum DefaultHeaders {
  static let fields: HTTPHeaderFields = {
    var fields = HTTPHeaderFields()
    fields["Accept-Language"] = acceptLanguage(languages(in: ProcessInfo.processInfo.environment))
    fields["User-Agent"] = userAgent(
      name: Bundle.main.infoDictionary?["CFBundleExecutable"] as? String
        ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
      version: Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        ?? Bundle.main.infoDictionary?["CFBundleVersion"] as? String ?? "1.0",
      kernel: ProcessInfo.processInfo.operatingSystemVersion
    )
    return fields
  }()

  /// Languages with falling quality: `en;q=1, de;q=0.9`. The one with quality 0.5 is the last, so there are at most six.
  static func acceptLanguage(_ languages: [String]) -> String {
    languages.prefix(6).enumerated()
      .map { index, language in "\(language);q=\(index == 0 ? "1" : "0.\(10 - index)")" }
      .joined(separator: ", ")
  }

  /// The user's languages, most wanted first, as gettext finds them: `LANGUAGE` has a list, which counts unless the locale
  /// is C; then `LC_ALL`, `LC_MESSAGES` and `LANG`, of which the first that is set counts. English if that is C, or nothing.
  static func languages(in environment: [String: String]) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let main = locale.flatMap(languageTag) else { return ["en"] }
    let listed = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { languageTag(String($0)) }
    var seen: Set<String> = []
    return (listed.isEmpty ? [main] : listed).filter { seen.insert($0).inserted }
  }

  /// `de_CH.UTF-8@euro` as a language tag, `de-CH`; nil for the C locale and for what is no language tag.
  private static func languageTag(_ locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    guard !["C", "POSIX"].contains(name) else { return nil }
    let parts = name.split(separator: "_", omittingEmptySubsequences: false).flatMap { $0.split(separator: "-") }
    let isTag = parts.allSatisfy { part in
      (1...8).contains(part.utf8.count) && part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "z") ~= $0 }
        && part.allSatisfy { $0.isLetter || $0.isNumber }
    }
    return isTag && !parts.isEmpty ? parts.joined(separator: "-") : nil
  }

  /// `Name/Version (Linux 6.1.0)`, in ASCII.
  static func userAgent(name: String, version: String, kernel: OperatingSystemVersion) -> String {
    let system = "Linux \(kernel.majorVersion).\(kernel.minorVersion).\(kernel.patchVersion)"
    return "\(token(name))/\(token(version)) (\(system))"
  }

  /// The text as a product name may be written (RFC 9110 §10.1.5): Latin letters for others, `_` for what has no place.
  private static func token(_ text: String) -> String {
    // Most names are ASCII, and the transform, which leaves those as they are, loads megabytes of tables.
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    let latin =
      isASCII
      ? text : text.applyingTransform(StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove"), reverse: false)
    let bytes = (latin ?? text).utf8.map { HTTPHeaderValidation.isTokenByte($0) ? $0 : UInt8(ascii: "_") }
    return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
  }
}
