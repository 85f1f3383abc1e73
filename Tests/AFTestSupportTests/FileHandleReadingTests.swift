import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite struct FileHandleReadingTests {
  @Test func `signals that interrupt a read cost nothing of what is read`() async {
    await #expect(processExitsWith: .success) {
      // Without SA_RESTART, so that calls end with EINTR.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGUSR1, &action, nil)
      let pipe = Pipe()
      let (reader, result) = (Recorder<UInt>(), Recorder<Data>())
      Thread {
        reader.record(UInt(pthread_self()))
        result.record((try? pipe.fileHandleForReading.readAll()) ?? Data("failed".utf8))
      }.start()
      try await eventually("the thread") { reader.count == 1 }
      for piece in ["a", "b", "c"] {
        for _ in 0..<50 {
          pthread_kill(pthread_t(reader.values[0]), SIGUSR1)
          usleep(200)
        }
        try pipe.fileHandleForWriting.write(contentsOf: Data(piece.utf8))
      }
      try pipe.fileHandleForWriting.close()
      try await eventually("the end") { result.count == 1 }
      guard result.values[0] == Data("abc".utf8) else { exit(1) }
    }
  }

  @Test func `a descriptor that cannot be read is an error`() throws {
    let pipe = Pipe()
    #expect(throws: POSIXFailure.self) { try pipe.fileHandleForWriting.readAll() }
  }
}
