import AFSupport

final class EngineLoop {
  static func launch(_ mailbox: Mailbox, _ configuration: EngineConfiguration) {}
}
