import AFSupport
import Foundation

extension MonitorLoop {
  /// One registration, and what it has been told.
  struct Observer {
    let registration: MonitorRegistration
    var told: AFReachabilityState?
    /// A change that has to last before it is told.
    var pending: (state: AFReachabilityState, due: MonotonicTime)?
  }

  /// A target, what is known about it, and who wants to know. Registrations of equal targets share one.
  struct Subject {
    var observers: Set<UInt64> = []
    /// Whether the model alone can judge it, without asking the kernel or a resolver.
    let isModelled: Bool
    var state: AFReachabilityState?
    var names: Set<String>

    init(_ target: AFReachabilityTarget) {
      isModelled = target.isModelled
      names = target.names
    }
  }

  func forget(_ id: UInt64) {
    guard let target = observers.removeValue(forKey: id)?.registration.target else { return }
    subjects[target]?.observers.remove(id)
    guard subjects[target]?.observers.isEmpty == true else { return }
    let gone = subjects.removeValue(forKey: target)
    if gone?.names.isEmpty == false { names.keepOnly(subjects.values.reduce(into: []) { $0.formUnion($1.names) }) }
  }

  /// Judges every target again, and tells whoever it concerns.
  func judgeAll() {
    for target in subjects.keys { judge(target) }
  }

  /// Judges those targets that the model alone decides.
  func judgeModelled() {
    for (target, subject) in subjects where subject.isModelled { judge(target) }
  }

  /// Gives newcomers what is known, and judges what nobody asked for before.
  func judgeNew() {
    for (id, observer) in observers where observer.told == nil {
      let target = observer.registration.target
      if let state = subjects[target]?.state {
        tell(id, state)
      } else {
        judge(target)
      }
    }
  }

  private func judge(_ target: AFReachabilityTarget) {
    guard let verdict = verdict(on: target), var subject = subjects[target] else { return }
    let old = subject.state
    guard old.map(Verdict.init) != verdict else { return }
    let state = AFReachabilityState(
      status: verdict.status,
      paths: verdict.paths,
      failure: verdict.failure,
      since: old?.status == verdict.status ? old?.since ?? Date() : Date()
    )
    subject.state = state
    subjects[target] = subject
    for id in subject.observers { offer(id, state) }
  }

  /// Tells a change now, or after it has lasted.
  private func offer(_ id: UInt64, _ state: AFReachabilityState) {
    guard let observer = observers[id] else { return }
    guard let told = observer.told, observer.registration.debounce > 0 else { return tell(id, state) }
    if told.saysTheSame(as: state) {
      observers[id]?.pending = nil
    } else {
      observers[id]?.pending = (state, .now + observer.registration.debounce)
    }
  }

  private func tell(_ id: UInt64, _ state: AFReachabilityState) {
    observers[id]?.pending = nil
    observers[id]?.told = state
    observers[id]?.registration.receive(.state(state))
  }

  /// Tells what has lasted long enough, and ends what was limited in time.
  func tellDue(_ now: MonotonicTime) {
    for (id, observer) in observers {
      if let pending = observer.pending, pending.due <= now { tell(id, pending.state) }
      if let deadline = observer.registration.deadline, deadline <= now {
        observer.registration.receive(.expired(observers[id]?.told))
        forget(id)
      }
    }
  }

  var nextObserverDeadline: MonotonicTime? {
    observers.values.flatMap { [$0.pending?.due, $0.registration.deadline] }.compactMap { $0 }.min()
  }
}

extension AFReachabilityState {
  /// Whether it differs from `other` in nothing but the time.
  func saysTheSame(as other: AFReachabilityState) -> Bool {
    Verdict(self) == Verdict(other)
  }
}
