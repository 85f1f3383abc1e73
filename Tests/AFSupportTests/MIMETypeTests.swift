import AFSupport
import Foundation
import Testing

@Suite struct MIMETypeTests {
  @Test(
    "Types by extension, in any case",
    arguments: [
      ("cer", "application/x-x509-ca-cert"), ("JPG", "image/jpeg"), ("txt", "text/plain"), ("mp4", "video/mp4"),
      ("", "application/octet-stream"), ("no-such-extension", "application/octet-stream"),
    ])
  func known(pathExtension: String, type: String) {
    #expect(MIMEType.forExtension(pathExtension) == type)
  }

  @Test("The shared MIME database: greatest weight, first among equals, only plain extensions")
  func globs() {
    let text = """
      # comment
      50:text/low:*.abc
      80:text/high:*.abc
      80:text/second:*.abc
      50:text/case:*.ABCD:cs
      50:text/name:makefile
      50:application/x-compressed-tar:*.tar.gz
      50:text/odd:*.[12]
      nonsense
      x:y:z
      """
    #expect(MIMEType.parseGlobs(Data(text.utf8)) == ["abc": "text/high", "abcd": "text/case"])
  }

  @Test("mime.types: the first type of an extension counts")
  func mimeTypes() {
    let text = "# comment\ntext/a\taa AB\ntext/b aa\ntext/none\nnonsense bb\n"
    #expect(MIMEType.parseMIMETypes(Data(text.utf8)) == ["aa": "text/a", "ab": "text/a"])
  }

  @Test(
    "The system's database is consulted for what the table lacks",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/mime/globs2")))
  func system() {
    #expect(MIMEType.forExtension("iso") != MIMEType.octetStream)
  }
}
