import AFOperations
import AFSupport
import AFTestSupport
import Dispatch
import Foundation
import FoundationNetworking

func quietConfiguration() -> URLSessionConfiguration {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.httpCookieStorage = nil
  configuration.urlCache = nil
  configuration.urlCredentialStorage = nil
  return configuration
}

func makeClient(_ server: TestServer, _ path: String = "") -> AFHTTPClient {
  AFHTTPClient(baseURL: server.url(path), sessionConfiguration: quietConfiguration())
}

func makeOperationManager(_ server: TestServer) -> AFHTTPRequestOperationManager {
  let manager = AFHTTPRequestOperationManager(baseURL: server.url(), sessionConfiguration: quietConfiguration())
  manager.completionQueue = DispatchQueue(label: "test.completions")
  return manager
}

func get(_ server: TestServer, _ path: String = "a") -> URLRequest { URLRequest(url: server.url(path)) }

extension Error {
  var urlCode: URLError.Code? { (self as? URLError)?.code }
}
