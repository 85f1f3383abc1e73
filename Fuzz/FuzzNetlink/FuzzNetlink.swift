import AFReachability

/// Gives the bytes to the netlink parser and what it accepts to the model, as if the kernel had sent them; stops where the
/// model says what cannot be.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNetlink(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var model = NetworkModel()
  model.useDefaultRules()
  var messages = NetlinkMessages(UnsafeRawBufferPointer(start: start, count: count))
  do {
    while let message = try messages.next() {
      // The same bytes as the answer to a look-up.
      if let route = try? NetworkRoute(message) { check(model.path(lookedUp: route).map { [$0] } ?? [], in: model) }
      guard let event = try NetworkEvent(message) else { continue }
      _ = model.apply(event)
      check(model.generalPaths(user: 0), in: model)
    }
  } catch {
    // Refused, as rubbish should be.
  }
  for link in model.links.values { check(model.interfacePaths(link.name) ?? [], in: model) }
  return 0
}

/// Every path leads over a link that is there and works.
private func check(_ paths: [AFReachabilityPath], in model: NetworkModel) {
  for path in paths {
    let link = model.links[Int32(truncatingIfNeeded: path.interfaceIndex)]
    precondition(link?.isUsable == true, "a path over a link that is not usable: \(path)")
  }
}
