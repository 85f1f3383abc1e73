/// Which options an easy handle has, if they are those of a plain request.
///
/// To set some thirty options and to clear them again costs as much as half of libcurl's own work for a small GET, and most
/// requests of a session differ from the one before in their URL alone. So a handle that served a plain request (no body, no
/// credentials, nothing that failed) keeps its options, and the next of the same kind sets only what differs.
struct HandleProfile {
  /// What must be the same for the options to stay.
  struct Kind: Equatable {
    let method: String
    let isSecure: Bool
    let httpVersion: Int
    let connectTimeout: Int
    let decodesContent: Bool
    let network: NetworkOptions
    let proxy: ProxyRoute
    let label: ConnectionLabel
  }

  let kind: Kind
  var url: String
  var headers: [TransferRequest.HeaderField]
}
