"""Writes a Swift program that subclasses every open class of the API dump (`api/*.txt`), outside the package.

Each subclass overrides every open member, its own and inherited, notes that it was asked, and calls super. The program makes an object
by every public initializer, runs a request through the subclasses, and fails unless every member in ASKED was asked.
"""

import pathlib
import re
import sys

MODULES = ["AFCore", "AFImage", "AFReachability", "AFSecurity", "AFSerialization"]

# Classes that only the package makes: they have no public initializer.
UNMADE = {"AFURLSession", "AFURLSessionTaskMetrics"}

GENERIC = {"AFDecodableResponseSerializer": "AFDecodableResponseSerializer<[String: Int]>"}

# Members that super cannot be asked for.
WITHOUT_SUPER = {"AFNetworkReachabilityManager.shared()": "S_AFNetworkReachabilityManager() as! Self"}

# What initializers get.
VALUES = {
    "AFReachabilityTarget": ".general", "AFSSLPinningMode": ".none", "Set<Data>": "[]", "Set<AFPublicKeyPin>": "[]",
    "URL?": 'URL(string: "http://127.0.0.1/")', "URLSessionConfiguration?": "nil", "String": '"localhost"',
    "UnsafeRawPointer": "address", "JSONSerialization.ReadingOptions": "[]", "JSONSerialization.WritingOptions": "[]",
    "PropertyListSerialization.PropertyListFormat": ".xml", "PropertyListSerialization.ReadOptions": "[]",
    "PropertyListSerialization.WriteOptions": "0", "UInt": "0", "any AFBodyDecoder": "JSONDecoder()",
    "TimeInterval": "0", "DispatchQueue?": "nil",
}

# What the request in `run` asks for. The other members are not asked by it: setters of blocks and options, archives, verbs and
# tasks of other kinds, callbacks about redirects, challenges, uploads, downloads and the cache, and numbers of tasks.
ASKED = {
    "AFHTTPSessionManager": [
        "baseURL", "requestSerializer", "responseSerializer", "securityPolicy", "completionQueue", "completionGroup", "session",
        "dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)",
        "dataTask(with:uploadProgress:downloadProgress:completionHandler:)", "get(_:parameters:headers:progress:success:failure:)",
        "urlSession(_:task:didCompleteWithError:)", "urlSession(_:task:didFinishCollecting:)",
        "urlSession(_:dataTask:didReceive:completionHandler:)", "urlSession(_:dataTask:didReceive:)",
    ],
    "AFHTTPRequestSerializer": [
        "allowsCellularAccess", "cachePolicy", "httpMethodsEncodingParametersInURI", "httpRequestHeaders", "httpShouldHandleCookies",
        "httpShouldUsePipelining", "networkServiceType", "queryStringEncoding", "timeoutInterval", "stringEncoding", "encoder",
        "request(withMethod:urlString:parameters:)", "request(withMethod:urlString:parameters:error:)",
        "request(bySerializingRequest:withParameters:error:)",
    ],
    "AFJSONResponseSerializer": [
        "acceptableContentTypes", "acceptableStatusCodes", "readingOptions", "removesKeysWithNullValues", "validate(_:data:)",
        "responseObject(for:data:error:)",
    ],
    "AFSecurityPolicy": ["allowInvalidCertificates", "pinnedCertificates", "sslPinningMode", "validatesDomainName"],
    "AFNetworkReachabilityManager": ["isReachableViaWWAN", "isReachableViaWiFi", "networkReachabilityStatus"],
}

RUN = """
let manager = S_AFHTTPSessionManager(baseURL: URL(string: CommandLine.arguments[1]))
manager.requestSerializer = S_AFHTTPRequestSerializer()
manager.responseSerializer = S_AFJSONResponseSerializer()
manager.completionQueue = DispatchQueue(label: "completions")
manager.securityPolicy = S_AFSecurityPolicy()
_ = manager.securityPolicy.evaluateServerTrust(AFServerTrust(certificates: []), forDomain: "a.test")
_ = S_AFNetworkReachabilityManager().isReachable
let over = DispatchSemaphore(value: 0)
manager.get(
  "answer.json", parameters: ["a": 1],
  success: { _, object in
    if (object as? [String: Any])?["answer"] == nil { exit(3) }
    over.signal()
  }, failure: { _, error in
    print(error)
    exit(4)
  })
if over.wait(timeout: .now() + 10) != .success { exit(5) }
"""

HEAD = """// Written by Scripts/support/subclasses.py from the API dump.
import AFImage
import AFNetworking
import Dispatch
import Foundation

final class Notes: @unchecked Sendable {
  // Unchecked because the compiler does not see that the lock guards the set.
  private let lock = NSLock()
  private var names: Set<String> = []
  func add(_ name: String) { lock.withLock { _ = names.insert(name) } }
  func lacking(_ wanted: [String]) -> [String] { lock.withLock { wanted.filter { !names.contains($0) } } }
  var count: Int { lock.withLock { names.count } }
}

let notes = Notes()
"""


def split(text):
    """The parts of a list at its commas, but for those within brackets."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[index - 1] != "-"):
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def parameters(declaration):
    """Label, name, type and default of each parameter."""
    start = declaration.index("(")
    depth = 0
    for end in range(start, len(declaration)):
        depth += {"(": 1, ")": -1}.get(declaration[end], 0)
        if depth == 0:
            break
    result = []
    for part in split(declaration[start + 1 : end]):
        names, rest = part.split(":", 1)
        kind, _, default = rest.partition(" = ")
        names = names.split()
        result.append((names[0], names[-1], kind.strip(), default.strip()))
    return result, declaration[end + 1 :].strip()


def override(subclass, owner, name, declaration):
    note = f'notes.add("{subclass}.{name}")'
    declaration = re.sub(r"\b(open|override) |@(discardableResult|preconcurrency) ", "", declaration)
    if re.search(r"\bvar ", declaration):
        head, accessors = declaration.split(" {", 1)
        base = "super." + re.search(r"var (\w+)", head).group(1)
        setter = f" set {{ {note}; {base} = newValue }}" if "set" in accessors else ""
        return f"  override {head} {{ get {{ {note}; return {base} }}{setter} }}"
    values, rest = parameters(declaration)
    arguments = ", ".join(name if label == "_" else f"{label}: {name}" for label, name, _, _ in values)
    method = re.search(r"func (`?\w+`?)", declaration).group(1)
    attempt = "try " if "throws" in rest else ""
    body = WITHOUT_SUPER.get(f"{owner}.{name}", f"{attempt}super.{method}({arguments})")
    return f"  @discardableResult override {declaration} {{ {note}; return {body} }}" if "->" in rest else (
        f"  override {declaration} {{ {note}; {body} }}")


def main(folder):
    lines = [line.rstrip("\n") for module in MODULES for line in (pathlib.Path(folder) / f"{module}.txt").open()]
    classes, supers, members, initializers = [], {}, {}, {}
    for line in lines:
        name, _, declaration = line.partition(" :: ")
        if " < " in line and not declaration:
            child, parent = line.split(" < ")
            supers[child] = parent
        elif declaration.startswith("open class ") and "." not in name.split("(")[0]:
            classes.append(name)
        elif "." in name and declaration:
            owner, member = name.split(".", 1)
            if member.startswith("init("):
                initializers.setdefault(owner, []).append((member, declaration))
            elif declaration.startswith("open "):
                members.setdefault(owner, []).append((member, declaration))
    print(HEAD)
    made = []
    for name in sorted(classes):
        seen, own, made_by, owner = set(), [], [], name
        while owner in classes:
            for member, declaration in members.get(owner, []):
                # Overloads differ in their types alone, and overriding members are those of the nearest class.
                key = re.sub(r"\b(open|override) |@\w+ |<.*>", "", declaration.split(" where ")[0]) if "(" in member else member
                key = (member, key)
                if key not in seen:
                    seen.add(key)
                    own.append(override(name, owner, member, declaration))
            made_by = made_by or [entry for entry in initializers.get(owner, [])]
            owner = supers.get(owner)
        print(f"final class S_{name}: {GENERIC.get(name, name)}, @unchecked Sendable {{")
        print("  // Unchecked because its superclass is; it stores nothing.")
        print("\n".join(own) + "\n}\n")
        if name in UNMADE:
            continue
        for member, declaration in made_by:
            if member != "init(coder:)":
                made.append(f"S_{name}(" + ", ".join(
                    (VALUES[kind] if label == "_" else f"{label}: {VALUES[kind]}")
                    for label, _, kind, _ in parameters(declaration)[0]) + ")")
    print("var storage = sockaddr_in()\nstorage.sin_family = sa_family_t(AF_INET)")
    print("withUnsafePointer(to: &storage) { pointer in\n  let address = UnsafeRawPointer(pointer)")
    print("\n".join(f"  _ = {expression}" for expression in made) + "\n}")
    print(RUN)
    wanted = [f"{owner}.{name}" for owner, names in ASKED.items() for name in names]
    print("let wanted = [\n" + "\n".join(f'  "{name}",' for name in wanted) + "\n]")
    # The end of a task is told of beside its completion handler, not before it.
    print("for _ in 0..<100 where !notes.lacking(wanted).isEmpty { usleep(50_000) }\nlet lacking = notes.lacking(wanted)")
    print('guard lacking.isEmpty else {\n  print("not asked: \\(lacking)")\n  exit(6)\n}')
    print(f'print("{len(classes)} subclasses made by {len(made)} initializers, \\(notes.count) overridden members asked")')


main(sys.argv[1])
