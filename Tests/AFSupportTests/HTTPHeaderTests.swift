import AFSupport
import Testing

@Suite struct HTTPHeaderFieldsTests {
  @Test("names are found in any letter case, keep their place, and take the last spelling")
  func caseAndOrder() {
    var fields = HTTPHeaderFields()
    fields["B"] = "1"
    fields["a"] = "2"
    fields["b"] = "3"
    #expect(fields.map(\.name) == ["b", "a"])
    #expect(fields["B"] == "3")
    #expect(fields.dictionary == ["b": "3", "a": "2"])
    fields["A"] = nil
    #expect(fields.map(\.name) == ["b"])
    fields["nothing"] = nil
    #expect(fields.count == 1)
  }

  @Test("only ASCII letters are folded")
  func folding() {
    #expect(HTTPHeaderFields.isSame("ETag", "etag"))
    #expect(HTTPHeaderFields.isSame("AZ", "az"))
    #expect(!HTTPHeaderFields.isSame("[", "{"))
    #expect(!HTTPHeaderFields.isSame("É", "é"))
    #expect(!HTTPHeaderFields.isSame("a@", "a`"))
    #expect(!HTTPHeaderFields.isSame("a", "ab"))
  }

  @Test("a dictionary with two spellings of a name gives one field")
  func dictionary() {
    let fields = HTTPHeaderFields(["x-a": "low", "X-A": "high"])
    #expect(fields.count == 1)
    #expect(fields["X-a"] == "low")
  }
}

@Suite struct HTTPHeaderValidationTests {
  @Test("B20 values with CR, LF or NUL are faults, everything else is not", arguments: UInt8(0)..<128)
  func values(_ byte: UInt8) {
    let value = "a" + String(UnicodeScalar(byte)) + "b"
    let expected = [0, 10, 13].contains(byte) ? HTTPHeaderFault.fieldValue(name: "X", byte: byte) : nil
    #expect(HTTPHeaderValidation.fault(inField: "X", value: value) == expected)
  }

  @Test("B20 tokens are visible ASCII without delimiters", arguments: UInt8(0)..<128)
  func tokens(_ byte: UInt8) {
    let isToken = byte > 32 && byte < 127 && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    let text = String(UnicodeScalar(byte))
    #expect(HTTPHeaderValidation.isToken(text) == isToken)
    #expect(HTTPHeaderValidation.fault(inMethod: text) == (isToken ? nil : .method(text)))
    #expect(HTTPHeaderValidation.fault(inField: text, value: "") == (isToken ? nil : .fieldName(text)))
  }

  @Test func `nothing is neither a method nor a name`() {
    #expect(HTTPHeaderValidation.fault(inMethod: "") == .method(""))
    #expect(HTTPHeaderValidation.fault(inField: "", value: "") == .fieldName(""))
  }

  @Test("a fault's description has no part of the value")
  func description() {
    let fault = HTTPHeaderValidation.fault(inField: "Authorization", value: "secret\r\n")
    #expect(fault?.description == "the value of header field \"Authorization\" holds CR")
  }
}
