/// How parameters are spelled in a query string or form body.
///
/// The default is AFNetworking's spelling. Other servers want other ones:
///
/// ```swift
/// manager.requestSerializer.queryStringEncoding = AFQueryStringEncoding(arrays: .repeatedKey, booleans: .literal)
/// ```
public struct AFQueryStringEncoding: Sendable, Hashable, Codable {
  /// How the elements of an array are told apart.
  public enum Arrays: String, Sendable, Hashable, Codable {
    /// `a[]=1&a[]=2`, as PHP and Ruby on Rails read it. The default.
    case brackets
    /// `a=1&a=2`, as most other servers read it.
    case repeatedKey
    /// `a[0]=1&a[1]=2`, which keeps arrays of dictionaries unambiguous.
    case indices
  }

  /// How `true` and `false` are written.
  public enum Booleans: String, Sendable, Hashable, Codable {
    /// `1` and `0`. The default.
    case numeric
    /// `true` and `false`.
    case literal
  }

  /// How a space is written.
  public enum Spaces: String, Sendable, Hashable, Codable {
    /// `%20`, which every parser reads as a space. The default.
    case percentEscaped
    /// `+`, as web browsers write it in forms. A plus sign is `%2B` in both cases.
    case plus
  }

  /// How the elements of an array are told apart.
  public var arrays: Arrays
  /// How `true` and `false` are written.
  public var booleans: Booleans
  /// How a space is written.
  public var spaces: Spaces

  /// Makes a spelling.
  /// - Parameters:
  ///   - arrays: How the elements of an array are told apart.
  ///   - booleans: How `true` and `false` are written.
  ///   - spaces: How a space is written.
  public init(arrays: Arrays = .brackets, booleans: Booleans = .numeric, spaces: Spaces = .percentEscaped) {
    self.arrays = arrays
    self.booleans = booleans
    self.spaces = spaces
  }
}
