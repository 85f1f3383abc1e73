import Foundation
import Testing

@testable import AFTransport

@Suite struct CurlErrorMappingTests {
  private static let rows: [(Int32, URLError.Code)] = [
    (1, .unsupportedURL), (3, .badURL), (5, .cannotFindHost), (6, .cannotFindHost),
    (7, .cannotConnectToHost), (8, .badServerResponse), (16, .networkConnectionLost), (18, .networkConnectionLost),
    (28, .timedOut), (35, .secureConnectionFailed), (42, .cancelled), (47, .httpTooManyRedirects),
    (52, .networkConnectionLost), (55, .networkConnectionLost), (56, .networkConnectionLost),
    (58, .clientCertificateRejected), (60, .serverCertificateUntrusted), (61, .cannotDecodeContentData),
    (65, .requestBodyStreamExhausted), (90, .serverCertificateUntrusted), (92, .networkConnectionLost),
    (97, .cannotConnectToHost), (98, .clientCertificateRequired), (9999, .unknown),
  ]

  @Test(arguments: rows) func `libcurl's codes become Foundation's`(curl: Int32, expected: URLError.Code) {
    #expect(CurlErrorMapping.urlErrorCode(for: curl) == expected)
  }
}
