// What an iOS app's delegate did, done by a program's main file: it makes the client, asks, and runs the main queue, on which
// AFNetworking calls back where no other queue is set.
import AFNetworking
import Foundation

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  FileHandle.standardError.write(Data("usage: MigratedApp BASE_URL\n".utf8))
  exit(2)
}
let client = PhotoClient(baseURL: base)

func finish(_ error: Error?) {
  if let error { print("failed: \(error.localizedDescription)") }
  exit(error == nil ? 0 : 1)
}

client.photos(inAlbum: "holiday") { photos, error in
  guard let photos else { return finish(error) }
  print("\(photos.count) answer for album holiday")
  client.upload(Data(repeating: 0xFF, count: 100_000), titled: "Fish & chips") { error in
    if error == nil { print("uploaded") }
    finish(error)
  }
}

dispatchMain()
