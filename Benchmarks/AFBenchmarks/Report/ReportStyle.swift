/// The look of the report: two sets of colours, chosen by the reader's system.
enum ReportStyle {
  /// The class of a client's colour. Those known from everywhere keep theirs; others take turns.
  static func client(_ name: String) -> String {
    switch name {
    case "AFNetworking": "c0"
    case "libcurl", "pread": "c1"
    case "URLSession": "c2"
    default: "c\(3 + name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 4)"
    }
  }

  static let sheet = """
    :root { color-scheme: light dark; --back: #fff; --ink: #1d2126; --soft: #69707a; --grid: #e3e6ea;
      --c0: #1668c7; --c1: #59626d; --c2: #d9620d; --c3: #1a8a5a; --c4: #8e4ec6; --c5: #b8860b; --c6: #c2255c;
      --read: #4c9be8; --write: #2f6fb5; --copy: #f0a53a; --tls: #9d6bd6; --socket: #35a57c; --other: #8b95a1; --wait: #e6e9ed; }
    @media (prefers-color-scheme: dark) { :root { --back: #15181c; --ink: #e6e9ed; --soft: #9aa3ae; --grid: #2b3138;
      --c0: #5aa7ff; --c1: #a9b2bd; --c2: #ff9447; --c3: #4fcf98; --c4: #c08cf0; --c5: #e0b64a; --c6: #f27aa5;
      --read: #5aa7ff; --write: #3c7cc4; --copy: #f0b45a; --tls: #b48ae6; --socket: #4fc49a; --other: #7a848f; --wait: #2b3138; } }
    body { background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 0; }
    main { max-width: 1180px; margin: 0 auto; padding: 24px; }
    h1 { font-size: 24px; margin: 0 0 8px; } h2 { margin: 36px 0 4px; font-size: 20px; } h3 { font-size: 16px; margin: 24px 0 8px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 16px 28px; align-items: start; }
    figure { margin: 0; } figcaption { font-weight: 600; margin-bottom: 4px; } svg { width: 100%; height: auto; display: block; }
    text { fill: var(--ink); font: 12px system-ui, sans-serif; } text.axis { fill: var(--soft); }
    .grid { stroke: var(--grid); } .mark { stroke: var(--ink); stroke-dasharray: 3 3; } .limit { stroke: var(--c6); stroke-dasharray: 6 4; }
    .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
    \((0...6).map { ".c\($0) { fill: var(--c\($0)); background: var(--c\($0)); } .line.c\($0) { fill: none; stroke: var(--c\($0)); }" }.joined(separator: "\n"))
    \(["read", "write", "copy", "tls", "socket", "other", "wait"].map { ".stage-\($0) { fill: var(--\($0)); background: var(--\($0)); }" }.joined(separator: "\n"))
    .legend { margin: 4px 0 0; font-size: 13px; color: var(--soft); } .legend span { margin-right: 14px; white-space: nowrap; }
    .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; }
    table { border-collapse: collapse; margin: 12px 0; font-variant-numeric: tabular-nums; }
    th, td { text-align: right; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--grid); } th { color: var(--soft); font-weight: 500; }
    th:first-child, td:first-child { text-align: left; }
    """
}
