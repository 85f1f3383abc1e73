import AFSupport
import AFTransfer
import Foundation

// What the tests of AFTransfer start in order to kill it: it says on its standard output what it is about to do and what it has
// done, one line each, by one write(2), so that nothing it has said is lost with it.
//
//     transferprobe store FOLDER SEED      changes a store at random, without end
//     transferprobe full FOLDER            fills the disk, and ends what it has added
//     transferprobe hold FOLDER            owns the store until it is killed
//     transferprobe queue FOLDER NAME URL  adds uploads to a queue and transfers them, until it is killed

func say(_ line: String) {
  let text = line + "\n"
  _ = text.withCString { write(1, $0, strlen($0)) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
  say("usage: transferprobe store|full|hold FOLDER [SEED]")
  exit(2)
}
func run(_ arguments: [String]) throws {
  if arguments[1] == "queue" {
    Task {
      do { try await probeQueue(arguments) } catch { say("error \(error)") }
    }
    dispatchMain()
  }
  let store = try SQLiteTransferStore(folder: arguments[2])
  switch arguments[1] {
  case "store":
    var probe = StoreProbe(seed: UInt64(arguments.count > 3 ? arguments[3] : "1") ?? 1)
    try probe.run(store)
  case "full": try fill(store)
  default:
    say("owned")
    while true { pause() }
  }
}

do {
  try run(arguments)
} catch {
  say("error \(error)")
  exit(1)
}
