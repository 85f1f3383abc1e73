import AFReachability
import Testing

@Suite("Addresses and prefixes")
struct IPAddressTests {
  @Test(
    "Text there and back",
    arguments: ["0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "::1", "2001:db8::9", "fe80::1", "::ffff:1.2.3.4"]
  )
  func text(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == text)
    #expect(address.bytes.withUnsafeBytes { IPAddress($0, family: address.family) } == address)
  }

  @Test("What is no address", arguments: ["", "1.2.3", "1.2.3.256", "::g", "fe80::1%eth0", "example.com", "1.2.3.4 "])
  func noAddress(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test("A wrong number of bytes is no address")
  func wrongByteCount() {
    for count in [0, 3, 5, 15, 17] {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(bytes.withUnsafeBytes { IPAddress($0, family: .ipv4) } == nil)
      #expect(bytes.withUnsafeBytes { IPAddress($0, family: .ipv6) } == nil)
    }
  }

  @Test(
    "Prefixes contain what begins with them, in their own family",
    arguments: [
      ("0.0.0.0", 0, "203.0.113.9", true), ("0.0.0.0", 1, "127.255.255.255", true),
      ("0.0.0.0", 1, "128.0.0.0", false), ("10.0.0.0", 8, "10.255.0.1", true), ("10.0.0.0", 8, "11.0.0.1", false),
      ("192.0.2.1", 32, "192.0.2.1", true), ("192.0.2.1", 32, "192.0.2.2", false),
      ("::", 0, "2001:db8::1", true), ("2000::", 3, "3fff::1", true), ("2000::", 3, "4000::", false),
      ("2001:db8::", 64, "2001:db8::ffff:ffff:ffff:ffff", true), ("2001:db8::", 65, "2001:db8::8000:0:0:0", false),
      ("2001:db8::", 127, "2001:db8::1", true), ("2001:db8::", 128, "2001:db8::1", false),
      ("0.0.0.0", 0, "::", false),
    ]
  )
  func prefixes(prefix: String, length: Int, address: String, contains: Bool) throws {
    let network = IPPrefix(try #require(IPAddress(prefix)), length)
    #expect(network.contains(try #require(IPAddress(address))) == contains)
  }

  @Test("Kinds of addresses")
  func kinds() throws {
    #expect(try #require(IPAddress("127.9.9.9")).isLoopback)
    #expect(try #require(IPAddress("::1")).isLoopback)
    #expect(try #require(IPAddress("169.254.1.1")).isLinkLocal)
    #expect(try #require(IPAddress("febf::1")).isLinkLocal)
    #expect(try !#require(IPAddress("fec0::1")).isLinkLocal)
    #expect(try !#require(IPAddress("169.255.0.1")).isLinkLocal)
  }
}
