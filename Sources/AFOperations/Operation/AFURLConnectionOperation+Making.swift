import AFCore
import AFSupport
import CInitializers
import Foundation
package import FoundationNetworking

/// A request on its way through an initializer in CInitializers.
package final class RequestBox: Sendable {
  package let request: URLRequest

  init(_ request: URLRequest) { self.request = request }
}

/// A stream on its way into an operation.
// Unchecked because streams are not Sendable; it is handed on and not touched here.
struct StreamBox<S>: @unchecked Sendable {
  let stream: S?
}

extension AFURLConnectionOperation {
  /// An operation of this class, made by its `init(request:)`.
  class func made(for request: URLRequest) -> Self {
    AFSupport.made(self) { af_make_operation(Unmanaged.passRetained(RequestBox(request)).toOpaque(), $0) }
  }

  /// Changes something that the app may have given. What it replaces goes when the lock is open.
  func replace(_ change: (inout OperationState) -> Void) {
    let old = core.withLock { state in
      let old = state
      change(&state)
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Has `hook` called after the completion block, once; at once if that has been.
  func whenFinished(_ hook: @escaping @Sendable () -> Void) {
    let isOver = core.withLock { state in
      if state.hasTold { return true }
      state.finishHooks.append(hook)
      return false
    }
    if isOver { hook() }
  }
}
