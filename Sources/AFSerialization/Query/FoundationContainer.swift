internal import Foundation

/// Looks into Foundation's containers without taking anything out.
///
/// Whatever is taken out of an `NSArray` or `NSDictionary` on Linux is turned into Swift values all the way down, so one
/// that holds itself, or is nested very deeply, uses up the stack before its first element is there. A mirror gives the
/// elements as they are.
enum FoundationContainer {
  /// Whether the object holds itself, at whatever depth, or is nested deeper than parameters may be.
  static func isBottomless(_ object: NSObject) -> Bool {
    guard isContainer(object) else { return false }
    var search = Search()
    return search.isBottomless(object, depth: 0)
  }

  private static func isContainer(_ object: AnyObject) -> Bool {
    object is NSArray || object is NSDictionary || object is NSSet || object is NSOrderedSet
  }

  private struct Search {
    /// The containers on the way to the present one.
    private var open: Set<ObjectIdentifier> = []
    /// The containers found to be harmless, so that what is held in many places is looked at once.
    private var harmless: Set<ObjectIdentifier> = []

    mutating func isBottomless(_ container: AnyObject, depth: Int) -> Bool {
      let identity = ObjectIdentifier(container)
      if harmless.contains(identity) { return false }
      guard depth < ParameterFlattener.maximumDepth, open.insert(identity).inserted else { return true }
      for child in Mirror(reflecting: container).children {
        let element = (child.value as? (key: NSObject, value: AnyObject))?.value ?? child.value as AnyObject
        if FoundationContainer.isContainer(element), isBottomless(element, depth: depth + 1) { return true }
      }
      open.remove(identity)
      harmless.insert(identity)
      return false
    }
  }
}
