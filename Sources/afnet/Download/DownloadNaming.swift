import AFCore
import AFSecurity
import Foundation
import FoundationNetworking

/// What files are called.
enum DownloadNaming {
  /// The name that a response suggests, as the library makes it safe, without dashes in front too: it is no option for the next command.
  static func name(_ response: HTTPURLResponse) -> String {
    let name = AFSuggestedFilename(response)
    let safe = String(name.drop { "-. ".contains($0) })
    return safe.isEmpty ? "download" : safe
  }

  /// The name of the folder in which a download lies while it is unfinished, beside where the file is to be: `NAME.afnet`. Where the
  /// server names the file, the URL does, with the beginning of its digest.
  static func placeName(file: String?, url: URL) -> String {
    if let file { return shortened(file, to: 240) + ".afnet" }
    let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
    let digest = Digest.sha256(url.absoluteString).prefix(8)
    return shortened(response.map { name($0) } ?? "download", to: 230) + ".\(digest).afnet"
  }

  private static func shortened(_ name: String, to limit: Int) -> String {
    var name = name
    while name.utf8.count > limit { name.removeLast() }
    return name
  }
}
