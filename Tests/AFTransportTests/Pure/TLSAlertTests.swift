import AFTransport
import Testing

/// F68: what a TLS peer's last word means.
@Suite struct TLSAlertTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var number: UInt8
    var asked: Bool
    var shown: Bool
    var meaning: TLSAlert.Meaning
    var testDescription: String { "\(number) asked \(asked) shown \(shown)" }
  }

  // RFC 8446 §6.2, and RFC 5246 §7.2.2 for 41 and §7.4.6 for a server that goes without a certificate.
  static let rows: [Row] =
    [UInt8(41), 42, 43, 44, 45, 46, 48, 49].flatMap { number in
      [
        Row(number: number, asked: true, shown: true, meaning: .certificateRejected),
        Row(number: number, asked: true, shown: false, meaning: .certificateRequired),
        Row(number: number, asked: false, shown: false, meaning: .certificateRejected),
      ]
    } + [
      Row(number: 116, asked: true, shown: false, meaning: .certificateRequired),
      Row(number: 116, asked: true, shown: true, meaning: .certificateRequired),
      Row(number: 40, asked: true, shown: false, meaning: .certificateRequired),
      Row(number: 40, asked: true, shown: true, meaning: .noAgreement),
      Row(number: 40, asked: false, shown: false, meaning: .noAgreement),
    ]
    + [UInt8(10), 20, 22, 47, 50, 51, 70, 71, 80, 86, 90, 109, 110, 112, 113, 115, 120, 255].map {
      Row(number: $0, asked: true, shown: false, meaning: .noAgreement)
    }

  @Test(arguments: rows) func `F68 the meaning of an alert`(row: Row) {
    let alert = TLSAlert(number: row.number, asksForCertificate: row.asked, hasSeenCertificate: row.shown)
    #expect(alert.meaning == row.meaning)
    #expect(alert.message(host: "a.test").contains("(\(row.number))"))
  }

  @Test func `F68 an alert has its name`() {
    #expect(TLSAlert(number: 116).name == "certificate_required")
    #expect(TLSAlert(number: 70).message(host: "a.test").hasPrefix("a.test ended TLS with the alert protocol_version"))
    #expect(TLSAlert(number: 254).name == "alert")
    #expect(TLSAlert(number: nil, asksForCertificate: true).meaning == .certificateRequired)
    #expect(TLSAlert(number: nil, asksForCertificate: true, hasSeenCertificate: true).meaning == .certificateRejected)
  }
}
