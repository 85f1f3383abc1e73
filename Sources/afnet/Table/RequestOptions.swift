import AFArguments

// What is asked for, and with what.
extension CommandOption {
  static let header = CommandOption(
    "header", "H", .text("NAME:VALUE"), isRepeatable: true,
    help: "Send this header field. '@FILE' sends the lines of a file, which is the place for secrets.")
  static let query = CommandOption(
    "query", "q", .text("NAME=VALUE"), isRepeatable: true,
    help: "Add this to the URL's query, escaped.")
  static let user = CommandOption(
    "user", "u", .text("NAME"), excludes: ["netrc", "netrc-file", "token", "token-file"],
    help: "The user for the server. The password is in AFNET_PASSWORD or in --password-file.")
  static let passwordFile = CommandOption(
    "password-file", nil, .file, help: "The password of --user is the first line of this file; '-' is standard input.")
  static let token = CommandOption(
    "token", nil, excludes: ["token-file"], help: "Send 'Authorization: Bearer' with the token in AFNET_TOKEN.")
  static let tokenFile = CommandOption(
    "token-file", nil, .file,
    help: "Send 'Authorization: Bearer' with the first line of this file; '-' is standard input.")
  static let netrc = CommandOption(
    "netrc", nil, help: "Take user and password from ~/.netrc, or from the file that NETRC names.")
  static let netrcFile = CommandOption("netrc-file", nil, .file, help: "Take user and password from this file.")
  static let noFollow = CommandOption("no-follow", nil, help: "Show a redirect instead of following it.")

  static let data = CommandOption(
    "data", "d", .text("DATA"), isRepeatable: true, excludes: ["json", "form"],
    help:
      "Send this body, as application/x-www-form-urlencoded unless a Content-Type is given; several are joined with '&'. "
      + "'@FILE' sends a file, '@-' standard input.")
  static let json = CommandOption(
    "json", nil, .text("JSON"), excludes: ["form"],
    help: "Send this body as JSON, and ask for JSON. '@FILE' sends a file, '@-' standard input.")
  static let form = CommandOption(
    "form", "F", .text("NAME=VALUE"), isRepeatable: true,
    help:
      "Send a multipart form with this field. 'NAME=@FILE' sends a file, 'NAME=@-' standard input, 'NAME=<FILE' a file's "
      + "content as a plain field. ';type=TYPE' and ';filename=NAME' may follow a file.")
}

extension OptionGroup {
  static let request = OptionGroup(
    "Request", [.header, .query, .user, .passwordFile, .token, .tokenFile, .netrc, .netrcFile, .noFollow])
  static let body = OptionGroup("Body", [.data, .json, .form])
}

// What is shown of the answer.
extension CommandOption {
  static let include = CommandOption(
    "include", "i", excludes: ["output"], help: "Show status and header fields before the body.")
  static let pretty = CommandOption(
    "pretty", nil, .choice("auto", "always", "never"),
    help: "Lay JSON out on lines of its own. auto: on a terminal.")
  static let color = CommandOption(
    "color", nil, .choice("auto", "always", "never"),
    help: "Colours for JSON. auto: on a terminal, unless NO_COLOR is set.")
  static let raw = CommandOption(
    "raw", nil, excludes: ["pretty", "output"],
    help: "Write the body as it came, also to a terminal, where it may then move the cursor.")
  static let output = CommandOption(
    "output", nil, .choice("body", "json"),
    help:
      "body: the body alone. json: one JSON object with status, header fields, body and times; see the documentation.")
  static let metrics = CommandOption(
    "metrics", nil, help: "Show on standard error what took how long, as a waterfall.")
  static let quiet = CommandOption("quiet", nil, help: "No progress, and no line about an answer of 4xx or 5xx.")
}

extension OptionGroup {
  static let answer = OptionGroup("Answer", [.include, .pretty, .color, .raw, .output, .metrics, .quiet])
}
