import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// The request that a redirect asks for, or nil if the response is final.
  func redirect(for head: ResponseHead) -> HopRequest? {
    let current = state.withLock { $0.current }
    return Redirect.following(current, head)
  }

  /// Follows a redirect, or asks whether to.
  func take(
    _ request: HopRequest, _ head: ResponseHead, _ transfer: TransferHandle, _ session: SessionCore
  ) -> ResponseRoute {
    let (count, blocks) = state.withLock { state in
      state.redirects += 1
      return (state.redirects - state.firstRedirect, state.blocks)
    }
    guard count <= Redirect.limit else {
      return .cancel(
        URLError.make(
          .httpTooManyRedirects, url: request.url, "More than \(Redirect.limit) redirects, one after another"))
    }
    guard blocks.interests.contains(.redirect), let manager = state.withLock({ $0.manager }),
      let proposed = request.urlRequest
    else { return follow(request, transfer, session) }
    guard let question = TaskQuestion.open(.redirect, of: self, during: transfer) else { return .undecided }
    session.callbackQueue.async {
      guard let response = self.httpResponse else { return }
      manager.urlSession(
        session.shell, task: self.shell, willPerformHTTPRedirection: response, newRequest: proposed
      ) { answer in
        guard question.close() else { return }
        guard let answer else { return transfer.route(self.finalRoute(transfer, session)) }
        transfer.route(self.follow(request.replaced(by: answer, proposed: proposed), transfer, session))
      }
    }
    return .undecided
  }

  /// Lets `request` follow, unless it would be sent in clear where the security policy pins: what pins protect must not be
  /// had by a redirect, nor by a block that lets it pass.
  private func follow(_ request: HopRequest, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    let (current, manager) = state.withLock { ($0.current.url, $0.manager) }
    if let manager, !session.settings.options.followsRedirectsFromPinnedToHTTP, let from = Origin(current),
      from.isSecure,
      let to = Origin(request.url), !to.isSecure
    {
      let policy = manager.core.securityPolicy
      if policy.pins(host: from.host) || policy.pins(host: to.host) {
        return .cancel(
          URLError.make(
            .appTransportSecurityRequiresSecureConnection, url: request.url,
            "A redirect leads from https to http, and the security policy pins"))
      }
    }
    return proceed(with: request, transfer, session)
  }
}

extension HopRequest {
  /// What the user made of the proposed request.
  func replaced(by answer: URLRequest, proposed: URLRequest) -> HopRequest {
    var result = HopRequest(answer)
    result.keepsCredentials = keepsCredentials && Origin.areSame(result.url, url)
    switch body {
    case .stream where answer.httpBodyStream != nil && answer.httpBodyStream === proposed.httpBodyStream:
      result.body = body
    case .file where answer.httpBodyStream == nil && answer.httpBody == nil && result.method == method:
      result.body = body
    default: break
    }
    return result
  }
}
