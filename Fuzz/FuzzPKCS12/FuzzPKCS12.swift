internal import AFSecurity
internal import Foundation
internal import FuzzSupport

/// A passphrase and the bytes of a PKCS#12 file: an identity whose key belongs to its certificate, or an error, soon and with little
/// memory whatever the file asks for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPKCS12(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let passphrase = input.text()
  let file = input.data()
  do throws(AFSecurityError) {
    let identity = try AFClientIdentity(pkcs12: file, passphrase: passphrase)
    demand(!identity.certificates.isEmpty, "an identity without a certificate")
    demand(!identity.description.isEmpty, "no description")
  } catch {
    demand([.invalidKey, .wrongPassphrase].contains(error.code), "\(error)")
  }
  return 0
}
