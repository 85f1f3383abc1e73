public import AFMultipart
internal import AFSupport
internal import CInitializers
public import Foundation
public import FoundationNetworking

// Over 400 lines because a method that subclasses may override has to stand in the class itself, with its documentation.

/// Makes requests whose parameters go into the query string, or into the body as a URL-encoded form.
///
/// It also sets the default headers and options of each request, and builds multipart forms. Parameters of GET, HEAD and
/// DELETE go into the URL, those of other methods into the body: see ``httpMethodsEncodingParametersInURI``. How they are
/// spelled is told in <doc:ParametersInAQuery>.
///
/// All members may be used from any thread. A change counts for the requests made after it.
///
/// Text that could break out of its line is refused: a method or a header name that is not a token, or a header value with
/// CR, LF or NUL, makes the next request fail with an ``AFURLRequestSerializationError``.
///
/// A subclass restates `@unchecked Sendable`; see <doc:SubclassingSerializers>.
open class AFHTTPRequestSerializer: NSObject, AFURLRequestSerialization, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let state: Locked<HTTPRequestSettings>

  /// What the serializer has been told, all of one moment.
  final var settings: HTTPRequestSettings {
    get { state.withLock { $0 } }
    set { state.change { $0 = newValue } }
  }

  final func update(_ change: (inout HTTPRequestSettings) -> Void) {
    state.change { change(&$0) }
  }

  /// Makes a serializer with the default headers and options.
  public override init() {
    state = Locked(HTTPRequestSettings())
    super.init()
  }

  /// What copies are made by, through CInitializers: `self.init()` is that of the class which is made.
  package convenience init(fresh: Void) { self.init() }

  /// Reads an archived serializer. What the archive lacks has its default.
  public required init?(coder: NSCoder) {
    state = Locked(HTTPRequestSettings(coder: coder))
    super.init()
  }

  /// True: archives of serializers are read with secure coding.
  open class var supportsSecureCoding: Bool { true }

  /// Archives every option but the custom query block and the encoder, which cannot be archived.
  open func encode(with coder: NSCoder) {
    if !(coder is CopyingCoder) { settings.encode(with: coder) }
  }

  /// Makes a serializer of the same class with every option of this one, the custom query block and the encoder included.
  ///
  /// A subclass is made by its `init()`, or by `init(coder:)` if it encodes something: see <doc:SubclassingSerializers>.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = copied { made(type(of: self), af_make_request_serializer) }
    copy.settings = settings
    return copy
  }

  // MARK: Options of each request

  /// The encoding of the body's text. Default: UTF-8.
  ///
  /// It is used for form bodies and for the values of multipart fields. Percent-escapes are always of UTF-8, so only UTF-16
  /// and UTF-32 make a difference to a form. JSON and property lists do not use it.
  open var stringEncoding: UInt {
    get { settings.stringEncoding }
    set { update { $0.stringEncoding = newValue } }
  }

  /// Kept for source compatibility; Linux has no notion of a cellular connection. Default: true.
  open var allowsCellularAccess: Bool {
    get { settings.options.allowsCellularAccess ?? true }
    set { update { $0.options.allowsCellularAccess = newValue } }
  }

  /// The cache policy of requests. Until it is assigned, requests keep the session configuration's.
  open var cachePolicy: NSURLRequest.CachePolicy {
    get { settings.options.cachePolicy ?? .useProtocolCachePolicy }
    set { update { $0.options.cachePolicy = newValue } }
  }

  /// Whether requests send and store cookies. Until it is assigned, the session configuration decides. Default: true.
  open var httpShouldHandleCookies: Bool {
    get { settings.options.handlesCookies ?? true }
    set { update { $0.options.handlesCookies = newValue } }
  }

  /// Kept for source compatibility; HTTP/1.1 pipelining is no longer done by anybody. Default: false.
  open var httpShouldUsePipelining: Bool {
    get { settings.options.usesPipelining ?? false }
    set { update { $0.options.usesPipelining = newValue } }
  }

  /// The service type of requests. Until it is assigned, requests keep the session configuration's.
  open var networkServiceType: NSURLRequest.NetworkServiceType {
    get { settings.options.networkServiceType ?? .default }
    set { update { $0.options.networkServiceType = newValue } }
  }

  /// Seconds without a byte in either direction after which a request fails. Until it is assigned, the session
  /// configuration decides. Default: 60.
  open var timeoutInterval: TimeInterval {
    get { settings.options.timeoutInterval ?? 60 }
    set { update { $0.options.timeoutInterval = newValue } }
  }

  /// The methods whose parameters go into the URL, in upper case. Default: GET, HEAD and DELETE.
  ///
  /// A request's method is compared in upper case, so `get` counts as GET.
  open var httpMethodsEncodingParametersInURI: Set<String> {
    get { settings.methodsEncodingParametersInURI }
    set { update { $0.methodsEncodingParametersInURI = newValue } }
  }

  // MARK: Headers

  /// The default headers, under the names they were last set with: Accept-Language and User-Agent at first.
  open var httpRequestHeaders: [String: String] { settings.headerDictionary }

  /// Sets a default header, or removes it.
  ///
  /// Names are compared without regard to letter case. A name that is no token, and a value with CR, LF or NUL, is stored,
  /// and every request fails until it is removed.
  /// - Parameters:
  ///   - value: The value; nil removes the header.
  ///   - field: The name of the header.
  open func setValue(_ value: String?, forHTTPHeaderField field: String) {
    update { settings in
      var headers = settings.headers
      headers[field] = value
      settings.setHeaders(headers)
    }
  }

  /// The value of a default header.
  /// - Parameter field: The name of the header, in any letter case.
  /// - Returns: The value, or nil if there is no such header.
  @discardableResult
  open func value(forHTTPHeaderField field: String) -> String? {
    settings.headers[field]
  }

  /// Sets the Authorization header for Basic authentication (RFC 7617), with UTF-8.
  /// - Parameters:
  ///   - username: The user name. It must not hold a colon: the server would take what follows for the password.
  ///   - password: The password.
  open func setAuthorizationHeaderFieldWithUsername(_ username: String, password: String) {
    let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
    setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
  }

  /// Sets the Authorization header to a bearer token (RFC 6750).
  /// - Parameter token: The token as the server issued it.
  open func setAuthorizationHeaderField(bearerToken token: String) {
    setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
  }

  /// Removes the Authorization header.
  open func clearAuthorizationHeader() {
    setValue(nil, forHTTPHeaderField: "Authorization")
  }

  // MARK: Query strings

  /// How parameters are spelled in query strings and form bodies. Default: AFNetworking's spelling.
  open var queryStringEncoding: AFQueryStringEncoding {
    get { settings.queryStringEncoding }
    set { update { $0.queryStringEncoding = newValue } }
  }

  /// Goes back to AFNetworking's spelling and removes a custom query block.
  /// - Parameter style: The style; there is one.
  open func setQueryStringSerializationWith(_ style: AFHTTPRequestQueryStringSerializationStyle) {
    update {
      $0.queryStringEncoding = AFQueryStringEncoding()
      $0.queryStringBlock = nil
    }
  }

  /// Sets what makes query strings and form bodies out of parameters.
  ///
  /// Its result is used as it is: the block does the escaping. It is called, while a request is made, on that thread, and
  /// not for requests without parameters. If it sets the error, the request fails with it.
  /// - Parameter block: The block; it gets the request so far, the parameters, and where to put an error. Nil goes back to
  ///   ``queryStringEncoding``.
  @preconcurrency
  open func setQueryStringSerializationWith(_ block: (@Sendable (URLRequest, Any, NSErrorPointer) -> String?)?) {
    update { $0.queryStringBlock = block }
  }

  // MARK: Making requests

  /// Makes a request.
  ///
  /// The options that have been assigned are set on it, then parameters and default headers are added by
  /// ``request(bySerializingRequest:withParameters:error:)``.
  /// - Parameters:
  ///   - method: The method, sent as given, but that Foundation writes common ones in upper case.
  ///   - URLString: The URL. It must be valid as it stands: spaces and non-ASCII characters escaped.
  ///   - parameters: The parameters; nil for none.
  /// - Returns: The request.
  /// - Throws: ``AFURLRequestSerializationError`` for a URL, method, header or parameter that cannot be sent; what a
  ///   subclass or the custom query block reports.
  @discardableResult
  open func request(
    withMethod method: String,
    urlString URLString: String,
    parameters: Any?
  ) throws -> NSMutableURLRequest {
    var error: NSError?
    let request = request(withMethod: method, urlString: URLString, parameters: parameters, error: &error)
    if let error { throw error }
    return request
  }

  /// Makes a request, in the spelling of AFNetworking 2 to 4.0.0: see ``request(withMethod:urlString:parameters:)``.
  ///
  /// The other form calls this one, so that overrides written for either take effect.
  /// - Parameters:
  ///   - method: The method, sent as given, but that Foundation writes common ones in upper case.
  ///   - URLString: The URL.
  ///   - parameters: The parameters; nil for none.
  ///   - error: Set if the request cannot be made.
  /// - Returns: The request; one for `about:invalid`, which cannot be sent, if the error was set.
  @discardableResult
  open func request(
    withMethod method: String,
    urlString URLString: String,
    parameters: Any?,
    error: NSErrorPointer
  ) -> NSMutableURLRequest {
    error.capture {
      let bare = try bareRequest(withMethod: method, urlString: URLString)
      var failure: NSError?
      guard let request = request(bySerializingRequest: bare, withParameters: parameters, error: &failure) else {
        throw failure ?? AFURLRequestSerializationError(.unexplained, request: bare)
      }
      return request.mutable
    } ?? .unsendable
  }

  /// Makes a copy of a request with default headers and parameters added.
  ///
  /// A default header is added if the request has none of that name. The parameters go into the URL before its fragment, or
  /// into the body, which then replaces the one the request has and gets the Content-Type
  /// `application/x-www-form-urlencoded` unless there is one. A request with a body and no parameters gets an empty form.
  /// - Parameters:
  ///   - request: The request to start from. It is not changed.
  ///   - parameters: A dictionary, or a single text or number, which is sent as `=text`.
  ///   - error: Set when the result is nil: ``AFURLRequestSerializationError``, or what the custom query block gave.
  /// - Returns: The new request, or nil if it cannot be made.
  @discardableResult
  open func request(
    bySerializingRequest request: URLRequest,
    withParameters parameters: Any?,
    error: NSErrorPointer
  ) -> URLRequest? {
    error.capture { try formRequest(from: request, parameters: parameters, settings: currentSettings) }
  }

  // MARK: Encodable bodies

  /// What turns `Encodable` bodies into JSON, or into the values of a form or query, which are those of the JSON.
  ///
  /// Replace it to choose how dates, data and keys are written. It is not archived. Copies share it: set it up before you
  /// assign it, and assign another one to change it.
  open var encoder: JSONEncoder {
    get { settings.encoder }
    set { update { $0.encoder = newValue } }
  }

  /// Makes a request with an `Encodable` value in the place of parameters.
  /// - Parameters:
  ///   - method: The method, sent as given, but that Foundation writes common ones in upper case.
  ///   - URLString: The URL. It must be valid as it stands.
  ///   - body: The value.
  /// - Returns: The request.
  /// - Throws: ``AFURLRequestSerializationError``, or what the encoder throws.
  @discardableResult
  public final func request(
    withMethod method: String,
    urlString URLString: String,
    body: some Encodable
  ) throws -> NSMutableURLRequest {
    let bare = try bareRequest(withMethod: method, urlString: URLString)
    return try request(bySerializingRequest: bare, withBody: body).mutable
  }

  /// Makes a copy of a request with default headers and an `Encodable` value added.
  ///
  /// The value goes where parameters would: here into a query or form, so it must encode to a dictionary; in the subclasses
  /// into a body of their kind. The Content-Type is theirs, unless the request or the default headers have one.
  /// - Parameters:
  ///   - request: The request to start from. It is not changed.
  ///   - body: The value.
  /// - Returns: The new request.
  /// - Throws: ``AFURLRequestSerializationError``, or what the encoder throws.
  @discardableResult
  open func request(bySerializingRequest request: URLRequest, withBody body: any Encodable) throws -> URLRequest {
    let settings = currentSettings
    let parameters = try JSONSerialization.jsonObject(with: settings.encoder.encode(body), options: .fragmentsAllowed)
    return try formRequest(from: request, parameters: parameters, settings: settings)
  }

  // MARK: Multipart forms

  /// Makes a request with a multipart form as its body (RFC 7578), streamed while it is sent.
  ///
  /// The parameters become the first fields, named and ordered as in a query string but not escaped: `Data` is sent as it
  /// is, null as an empty value, anything else as text in ``stringEncoding``. Then the block adds its parts. The request
  /// has the form's Content-Type, and its Content-Length unless a part has an unknown length. A form without parts is its
  /// end delimiter alone. (AFNetworking sent an empty URL-encoded body then.)
  /// - Parameters:
  ///   - method: The method; not GET or HEAD.
  ///   - URLString: The URL. It must be valid as it stands.
  ///   - parameters: The first fields; nil for none.
  ///   - block: Adds parts. It is called on this thread before the method returns.
  ///   - error: Set if the request cannot be made.
  /// - Returns: The request; one for `about:invalid`, which cannot be sent, if the error was set.
  @discardableResult
  open func multipartFormRequest(
    withMethod method: String,
    urlString URLString: String,
    parameters: [String: Any]?,
    constructingBodyWith block: ((any AFMultipartFormData) -> Void)?,
    error: NSErrorPointer
  ) -> NSMutableURLRequest {
    error.capture {
      guard !["GET", "HEAD"].contains(method.uppercased()) else {
        throw AFURLRequestSerializationError(.methodWithoutBody(method))
      }
      let result = try request(withMethod: method, urlString: URLString, parameters: nil)
      let form = AFMultipartForm()
      if let parameters { try append(parameters, to: form) }
      block?(form)
      result.setBody(form)
      return result
    } ?? .unsendable
  }

  /// Writes the multipart body of a request to a file, from which it can then be uploaded.
  ///
  /// The body stream is used up: the original request cannot be sent any more. The file is replaced if there is one, and
  /// removed if it cannot be written whole. Streamed uploads have a Content-Length here, so there is seldom a need for this.
  /// - Parameters:
  ///   - request: A request that ``multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:error:)`` made.
  ///   - fileURL: Where to write.
  ///   - handler: Called on the main queue when the file is written, with nil, or with what went wrong:
  ///     ``AFURLRequestSerializationError``, the stream's error, or a `POSIXError`-like error of the file system.
  /// - Returns: At once, a copy of the request without the body, with all headers; one for `about:invalid` if the request has
  ///   no stream or the URL is no file URL.
  @preconcurrency
  @discardableResult
  open func request(
    withMultipartForm request: URLRequest,
    writingStreamContentsToFile fileURL: URL,
    completionHandler handler: (@Sendable ((any Error)?) -> Void)? = nil
  ) -> NSMutableURLRequest {
    do {
      let writer = try BodyFileWriter(request, fileURL: fileURL)
      DispatchQueue.global().async {
        let result = Result { try writer.write() }
        if let handler { DispatchQueue.main.async { handler(result.failure) } }
      }
      return request.withoutBodyStream.mutable
    } catch {
      if let handler { DispatchQueue.main.async { handler(error) } }
      return .unsendable
    }
  }

  /// Writes the multipart body of a request to a file, from which it can then be uploaded.
  ///
  /// As ``request(withMultipartForm:writingStreamContentsToFile:completionHandler:)``, but it returns when the file is
  /// written. When the task is cancelled it stops and removes the file.
  /// - Parameters:
  ///   - request: A request that ``multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:error:)`` made.
  ///   - fileURL: Where to write.
  /// - Returns: A copy of the request without the body, with all headers.
  /// - Throws: ``AFURLRequestSerializationError``, the stream's error, an error of the file system, or `CancellationError`.
  public final func request(
    withMultipartForm request: URLRequest,
    writingStreamContentsTo fileURL: URL
  ) async throws -> URLRequest {
    let writer = try BodyFileWriter(request, fileURL: fileURL)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try writer.write() }) }
      }
    } onCancel: {
      writer.cancel()
    }
    return request.withoutBodyStream
  }
}
