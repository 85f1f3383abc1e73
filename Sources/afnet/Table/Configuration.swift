import AFArguments
import AFSupport
import Foundation

/// The configuration file.
enum Configuration {
  /// What it may hold: what says how servers are reached and trusted, never what is asked of them.
  static let options = (OptionGroup.trust.options + OptionGroup.connection.options).filter {
    $0 != .config && $0 != .noConfig
  }

  /// What the file says about a command's options; nil if the command has none of them, or there is no file.
  static func defaults(for command: Command, _ arguments: Arguments) throws -> Arguments? {
    guard command.options.contains(.config), !arguments.has(.noConfig) else { return nil }
    let named = arguments.text(.config)
    guard let path = named ?? standardPath(ProcessInfo.processInfo.environment) else { return nil }
    let data: Data
    do {
      data = try SmallFile.read(path, limit: 1 << 20)
    } catch {
      if named == nil, error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw ToolFailure(.file, "the configuration file cannot be read: \(error)")
    }
    return try ConfigurationFile.parse(String(decoding: data, as: UTF8.self), name: path, options: options)
  }

  /// The file in XDG's place. A relative XDG_CONFIG_HOME does not count, as the specification says.
  static func standardPath(_ environment: [String: String]) -> String? {
    if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") { return "\(home)/afnet/config" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return "\(home)/.config/afnet/config"
  }
}

/// Files that are read whole.
enum SmallFile {
  /// The content of a file, or of standard input for "-".
  static func read(_ path: String, limit: Int) throws(POSIXFailure) -> Data {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    defer { close(descriptor) }
    var data = Data()
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &block, block.count)
      if count == 0 { return data }
      if count > 0 { data.append(contentsOf: block[..<count]) }
      if count < 0, errno != EINTR { throw POSIXFailure(call: "read", path: path) }
      guard data.count <= limit else { throw POSIXFailure(call: "read", path: path, code: EFBIG) }
    }
  }

  /// The first line of a file that holds a secret.
  static func secret(_ path: String, _ what: String) throws(ToolFailure) -> String {
    let data: Data
    do { data = try read(path, limit: 1 << 20) } catch {
      throw ToolFailure(.file, "the \(what) cannot be read: \(error)")
    }
    let line = String(decoding: data.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    guard !line.isEmpty else {
      throw ToolFailure(.file, "the first line of \(path) is empty; it should be the \(what)")
    }
    return line
  }
}
