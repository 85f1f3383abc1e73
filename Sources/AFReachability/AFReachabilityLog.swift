import AFSupport
import Foundation

/// Where the module writes the rare line that somebody who looks after the system should see.
public enum AFReachabilityLog {
  /// A closure that takes one line of text, without a line break. It is called on any thread.
  public typealias Handler = @Sendable (String) -> Void

  private static let current = Locked<Handler?>(standardError)

  /// Takes the lines from now on; nil drops them. The default writes them to standard error.
  public static var handler: Handler? {
    get { current.withLock { $0 } }
    set { current.change { $0 = newValue } }
  }

  static func write(_ line: String) {
    handler?(line)
  }

  private static let standardError: Handler = { line in
    // The call that does not throw stops the process where standard error cannot be written to.
    try? FileHandle.standardError.write(contentsOf: Data("AFReachability: \(line)\n".utf8))
  }
}
