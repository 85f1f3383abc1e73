/// How fast a body may be read: both forms, which work together.
struct Throttle: Sendable {
  var packets = PacketPacer.Settings()
  var limit: AFBandwidthLimit?

  var isActive: Bool { packets.packetSize != .max || limit != nil }
}
