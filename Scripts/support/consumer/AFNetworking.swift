import AFNetworking

let manager = AFHTTPSessionManager(baseURL: URL(string: CommandLine.arguments[1]))
let answer = try await manager.get("answer.json").value
guard let object = answer as? [String: Any], object["answer"] as? Int == 42 else { exit(1) }
print("the answer is \(object)")
