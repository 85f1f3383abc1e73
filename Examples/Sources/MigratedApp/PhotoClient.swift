// As it stood in an iOS app, on AFNetworking 4, but for `@unchecked Sendable`, which the compiler asks for. The trait
// `AppleNames` declares Apple's names for the types that Foundation on Linux does not have, or that are this package's own.
import AFNetworking
import Foundation

class PhotoClient: AFHTTPSessionManager, @unchecked Sendable {
  override init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
    super.init(baseURL: url, sessionConfiguration: configuration)
    requestSerializer = AFJSONRequestSerializer()
    responseSerializer = AFJSONResponseSerializer()
    requestSerializer.timeoutInterval = 20
    requestSerializer.setValue("PhotoApp/3.1", forHTTPHeaderField: "User-Agent")
    securityPolicy = AFSecurityPolicy(pinningMode: .none)
  }

  required init?(coder decoder: NSCoder) {
    super.init(coder: decoder)
  }

  func photos(inAlbum album: String, completion: @escaping ([[String: Any]]?, Error?) -> Void) {
    get(
      "get", parameters: ["album": album, "page": 1], headers: nil, progress: nil,
      success: { (task: URLSessionDataTask, responseObject: Any?) in
        let answer = responseObject as? [String: Any]
        completion(answer.map { [$0] }, nil)
      },
      failure: { (task: URLSessionDataTask?, error: Error) in
        completion(nil, error)
      })
  }

  func upload(_ photo: Data, titled title: String, completion: @escaping (Error?) -> Void) {
    post(
      "post", parameters: ["title": title], headers: nil,
      constructingBodyWith: { formData in
        formData.appendPart(withFileData: photo, name: "photo", fileName: "photo.jpg", mimeType: "image/jpeg")
      }, progress: { progress in NSLog("%.0f %%", progress.fractionCompleted * 100) },
      success: { _, _ in completion(nil) }, failure: { _, error in completion(error) })
  }
}
