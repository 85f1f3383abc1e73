import AFSupport
package import Foundation

/// A new directory that is removed, with all that is in it, when this object goes or ``remove()`` is called.
package final class TemporaryDirectory: Sendable {
  package let url: URL
  package var path: String { url.path }

  /// The place in the source is part of the name, so that `Scripts/test` can say whose directory was left behind.
  package init(file: String = #fileID, line: Int = #line) throws {
    let parent = FileManager.default.temporaryDirectory
    let place = "\(file.split(separator: "/").last ?? "")-\(line)"
    url = parent.appendingPathComponent("aftest-\(place)-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { remove() }

  package func remove() {
    try? FileManager.default.removeItem(at: url)
    // What still writes into it, such as a URLCache, makes it anew: it goes again when the process ends.
    Self.removed.withLock { $0.append(url) }
    Self.removesAtExit
  }

  private static let removed = Locked<[URL]>([])
  private static let removesAtExit: Void = {
    atexit { for url in TemporaryDirectory.removed.withLock({ $0 }) { try? FileManager.default.removeItem(at: url) } }
  }()

  /// The place of a file of that name in it.
  package func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

  /// Writes a file and returns its place.
  package func write(_ data: Data, to name: String) throws -> URL {
    let place = file(name)
    try data.write(to: place)
    return place
  }

  /// The names of what is in it, sorted.
  package var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}
