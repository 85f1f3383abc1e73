import CBenchmarkPeers

/// A part of the work, as far as it can be told from where a process stands when it is interrupted.
enum Stage: String, Codable, CaseIterable, CodingKeyRepresentable {
  case read
  case write
  case copy
  case tls = "TLS"
  case socket
  case other

  private var index: Int {
    switch self {
    case .read: Int(AFB_STAGE_READ.rawValue)
    case .write: Int(AFB_STAGE_WRITE.rawValue)
    case .copy: Int(AFB_STAGE_COPY.rawValue)
    case .tls: Int(AFB_STAGE_TLS.rawValue)
    case .socket: Int(AFB_STAGE_SOCKET.rawValue)
    case .other: Int(AFB_STAGE_OTHER.rawValue)
    }
  }

  static func stopProfile() -> [Stage: Double] {
    var shares = [Double](repeating: 0, count: Int(AFB_STAGE_COUNT.rawValue))
    afb_profile_stop(&shares)
    // Too short a run for a single interrupt.
    if shares.allSatisfy({ $0 == 0 }) { shares[Int(AFB_STAGE_OTHER.rawValue)] = 1 }
    return Dictionary(uniqueKeysWithValues: allCases.map { ($0, shares[$0.index]) })
  }
}
