/// When what happened in one hop, from libcurl's own clock. Durations are microseconds from the hop's start.
package struct TransferMetrics: Sendable {
  package var nameLookup: Int64 = 0
  package var connect: Int64 = 0
  package var tlsHandshake: Int64 = 0
  package var preTransfer: Int64 = 0
  package var firstByte: Int64 = 0
  package var total: Int64 = 0
  package var httpVersion: Int = 0
  package var isReusedConnection = false
  package var remoteAddress: String?
  package var remotePort: Int = 0
  package var localAddress: String?
  package var localPort: Int = 0
  package var tlsVersion: String?
  package var tlsCipher: String?
  package var requestHeaderBytes: Int64 = 0
  package var requestBodyBytes: Int64 = 0
  package var responseHeaderBytes: Int64 = 0
  package var responseBodyBytes: Int64 = 0
  package var isProxied = false

  package init() {}
}
