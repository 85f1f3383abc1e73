import CCurl
package import Foundation

/// The one table from libcurl's codes to Foundation's.
package enum CurlErrorMapping {
  /// The `URLError` code for a `CURLcode`; `.unknown` for a code that the table does not hold.
  package static func urlErrorCode(for curlCode: Int32) -> URLError.Code {
    table[curlCode] ?? .unknown
  }

  /// Every code that a transfer over HTTP can end with.
  package static let table: [Int32: URLError.Code] = [
    code(CURLE_UNSUPPORTED_PROTOCOL): .unsupportedURL,
    code(CURLE_URL_MALFORMAT): .badURL,
    code(CURLE_COULDNT_RESOLVE_PROXY): .cannotFindHost,
    code(CURLE_COULDNT_RESOLVE_HOST): .cannotFindHost,
    code(CURLE_COULDNT_CONNECT): .cannotConnectToHost,
    code(CURLE_WEIRD_SERVER_REPLY): .badServerResponse,
    code(CURLE_HTTP2): .networkConnectionLost,
    code(CURLE_PARTIAL_FILE): .networkConnectionLost,
    code(CURLE_HTTP_RETURNED_ERROR): .badServerResponse,
    code(CURLE_WRITE_ERROR): .cannotWriteToFile,
    code(CURLE_READ_ERROR): .cannotOpenFile,
    code(CURLE_OUT_OF_MEMORY): .unknown,
    code(CURLE_OPERATION_TIMEDOUT): .timedOut,
    code(CURLE_SSL_CONNECT_ERROR): .secureConnectionFailed,
    code(CURLE_ABORTED_BY_CALLBACK): .cancelled,
    code(CURLE_INTERFACE_FAILED): .cannotConnectToHost,
    code(CURLE_TOO_MANY_REDIRECTS): .httpTooManyRedirects,
    code(CURLE_GOT_NOTHING): .networkConnectionLost,
    code(CURLE_SEND_ERROR): .networkConnectionLost,
    code(CURLE_RECV_ERROR): .networkConnectionLost,
    code(CURLE_SSL_CERTPROBLEM): .clientCertificateRejected,
    code(CURLE_SSL_CIPHER): .secureConnectionFailed,
    code(CURLE_PEER_FAILED_VERIFICATION): .serverCertificateUntrusted,
    code(CURLE_BAD_CONTENT_ENCODING): .cannotDecodeContentData,
    code(CURLE_SEND_FAIL_REWIND): .requestBodyStreamExhausted,
    code(CURLE_SSL_ENGINE_NOTFOUND): .secureConnectionFailed,
    code(CURLE_SSL_CACERT_BADFILE): .secureConnectionFailed,
    code(CURLE_SSL_SHUTDOWN_FAILED): .networkConnectionLost,
    code(CURLE_AGAIN): .networkConnectionLost,
    code(CURLE_SSL_ISSUER_ERROR): .serverCertificateUntrusted,
    code(CURLE_NO_CONNECTION_AVAILABLE): .cannotConnectToHost,
    code(CURLE_SSL_PINNEDPUBKEYNOTMATCH): .serverCertificateUntrusted,
    code(CURLE_SSL_INVALIDCERTSTATUS): .serverCertificateUntrusted,
    code(CURLE_HTTP2_STREAM): .networkConnectionLost,
    code(CURLE_HTTP3): .networkConnectionLost,
    code(CURLE_QUIC_CONNECT_ERROR): .cannotConnectToHost,
    code(CURLE_PROXY): .cannotConnectToHost,
    code(CURLE_SSL_CLIENTCERT): .clientCertificateRequired,
  ]

  private static func code(_ code: CURLcode) -> Int32 { Int32(code.rawValue) }
}
