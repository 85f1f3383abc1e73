internal import AFSecurity
internal import Foundation
internal import FuzzSupport

/// Bytes are a certificate, a pin, a list or a stapled response, or an error that says why not; and a certificate
/// that was read can be shown, written and judged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCertificate(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  switch input.byte() % 5 {
  case 0: certificates(input.data())
  case 1: pin(String(decoding: input.data(), as: UTF8.self))
  case 2: if let lists = try? AFRevocationList.lists(in: input.data()) { lists.forEach { _ = $0.nextUpdate } }
  case 3: trust(host: input.text(), input.data())
  default: stapled(input.data())
  }
  return 0
}

private func certificates(_ data: Data) {
  guard let all = try? AFCertificate.certificates(in: data) else { return }
  demand(!all.isEmpty, "no certificates and no error")
  for certificate in all {
    _ = certificate.description + certificate.publicKeyDescription + certificate.serialNumber
    _ = (certificate.alternativeNames, certificate.hostNames, certificate.isAuthority, certificate.isSelfSigned)
    let again = try? AFCertificate(pemRepresentation: certificate.pemRepresentation)
    demand(again == certificate && again?.publicKeyPin == certificate.publicKeyPin, "not the same after writing")
  }
}

private func pin(_ text: String) {
  guard let pin = try? AFPublicKeyPin(text) else { return }
  for form in [pin.description, pin.curlDescription, pin.hexDescription] {
    demand((try? AFPublicKeyPin(form)) == pin, "not the same after writing \(form)")
  }
}

/// A stranger's chain never passes a policy that trusts nobody, whatever it is called.
private func trust(host: String, _ data: Data) {
  guard let all = try? AFCertificate.certificates(in: data) else { return }
  let policy = AFSecurityPolicy()
  policy.usesSystemAnchors = false
  demand(!policy.evaluateServerTrust(AFServerTrust(certificates: all), forDomain: host), "accepted for \(host)")
  _ = try? AFSecurityPolicy.perHost([host: policy])
}

/// Whatever is stapled, the chain is good; only the genuine response vouches for it.
private func stapled(_ response: Data) {
  guard let chain = try? AFServerTrust(pemRepresentation: leaf),
    let anchor = try? AFCertificate(pemRepresentation: root)
  else { fatalError("fixtures") }
  let policy = AFSecurityPolicy()
  policy.anchorCertificates = [anchor]
  policy.usesSystemAnchors = false
  policy.evaluationDate = Date(timeIntervalSince1970: 2_000_000_000)
  policy.revocationChecking = AFRevocationChecking()
  let trust = AFServerTrust(certificates: chain.certificates, stapledOCSPResponse: response)
  demand(policy.evaluateServerTrust(trust, forDomain: "localhost"), "\(String(describing: trust.evaluationError))")
}

private let root = """
  -----BEGIN CERTIFICATE-----
  MIIBbjCCARWgAwIBAgIUWljU14D0qOBu7w3X7Ai5u9HGEVMwCgYIKoZIzj0EAwIw
  DDEKMAgGA1UEAwwBUjAgFw0yNjExMzAwNTAxNTVaGA8yMTI2MTEwNjA1MDE1NVow
  DDEKMAgGA1UEAwwBUjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABD0omlo+v19n
  ex0Fy//Q5jrBvYzBQxUkElF/P7MPBMyBZkqeAGqqK/+BwaszacCMGgrpz9R3uoD1
  W7MhxBZSofqjUzBRMB0GA1UdDgQWBBTGRpRZhpdWFlmPAT2+ea+pKZG43jAfBgNV
  HSMEGDAWgBTGRpRZhpdWFlmPAT2+ea+pKZG43jAPBgNVHRMBAf8EBTADAQH/MAoG
  CCqGSM49BAMCA0cAMEQCICG7lwMQb4UBsl59chZ3bITgw5HJoid9WWbQTgzUiuzO
  AiAXoKwxV9kZvmBZLrB934E7+DzdV9dxtUrpwVNSnw5lfQ==
  -----END CERTIFICATE-----
  """

private let leaf = """
  -----BEGIN CERTIFICATE-----
  MIIBezCCASCgAwIBAgIURqpm/zDCYd5w7zoqR5qnpZ5DGEAwCgYIKoZIzj0EAwIw
  DDEKMAgGA1UEAwwBUjAgFw0yNjExMzAwNTAxNTVaGA8yMTI1MDYyNDA1MDE1NVow
  DDEKMAgGA1UEAwwBTDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNMWdWiZrLVJ
  gUYAqhFiVctUsrXFGDtUUj172e4NEEWU8wl6Og6QbaYXRCPDxuuY7l/8moIeSxiL
  2W8OxpzjTfCjXjBcMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4E
  FgQU+xsJMX1szbwsRc4wHSWxw0iWrCwwHwYDVR0jBBgwFoAUxkaUWYaXVhZZjwE9
  vnmvqSmRuN4wCgYIKoZIzj0EAwIDSQAwRgIhAN10S0XoWgvEKFIokIVjy6Ez1Xle
  4pYmt6ql445JorX5AiEA6nwMHE/+n0IVGB2DsJyESPrkVAleAOOvA3Ll2cjq9zo=
  -----END CERTIFICATE-----
  """
