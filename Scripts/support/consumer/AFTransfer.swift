import AFTransfer
import Foundation

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
defer { try? FileManager.default.removeItem(at: folder) }
guard let url = URL(string: CommandLine.arguments[1] + "answer.json") else { exit(1) }
let queue = try await AFTransferQueue(folder: folder)
let file = folder.appendingPathComponent("answer.json")
let result = try await queue.add(.download(url, to: file)).result
await queue.close()
print("a transfer with status \(result.statusCode ?? 0), \(try Data(contentsOf: file).count) bytes")
