/* OpenSSL as Swift can call it: the headers, and typed doors for what they define as macros. */
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* RFC 2253 form, with UTF-8 left readable. */
static const unsigned long af_XN_FLAG_READABLE = XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;

/* Before the first use of OpenSSL: it is not to be taken down at exit, under threads that still use it. The kernel takes all. */
static inline void af_OPENSSL_outlive_threads(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

/* 1 when `version` (0x0303, 0x0304) is now the oldest that is spoken. */
static inline long af_SSL_CTX_set_min_version(SSL_CTX *_Nonnull context, int version) {
  return SSL_CTX_set_min_proto_version(context, version);
}

/* The host name to ask for in a handshake (SNI). */
static inline long af_SSL_set_server_name(SSL *_Nonnull ssl, const char *_Nonnull name) {
  return SSL_set_tlsext_host_name(ssl, name);
}

/* No session of this context's connections is kept for resumption. */
static inline long af_SSL_CTX_keep_no_sessions(SSL_CTX *_Nonnull context) {
  return SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/* Called when everything the server sends before its first answer is there, the OCSP response included; 0 ends the handshake. */
static inline long af_SSL_CTX_set_status_callback(SSL_CTX *_Nonnull context,
                                                  int (*_Nonnull callback)(SSL *_Nullable ssl, void *_Nullable user)) {
  return SSL_CTX_set_tlsext_status_cb(context, callback);
}

static const uint64_t af_SSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;

typedef void (*af_ex_free_fn)(void *_Nullable parent, void *_Nullable value, CRYPTO_EX_DATA *_Nullable data, int index,
                              long argl, void *_Nullable argp);

/* A new slot of user data on every SSL_CTX; `release` runs when OpenSSL frees the context. */
static inline int af_SSL_CTX_new_index(af_ex_free_fn _Nullable release) {
  return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release);
}

/* A new slot of user data on every SSL. */
static inline int af_SSL_new_index(void) { return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

/* Asks servers for a stapled OCSP response. */
static inline long af_SSL_CTX_request_ocsp(SSL_CTX *_Nonnull context) {
  return SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
}
static inline long af_SSL_ocsp_response(SSL *_Nonnull ssl, const unsigned char *_Nullable *_Nonnull response) {
  return SSL_get_tlsext_status_ocsp_resp(ssl, response);
}

/* The environment, unless the process has more rights than who started it. */
extern char *_Nullable secure_getenv(const char *_Nonnull name);
static inline const char *_Nullable af_secure_getenv(const char *_Nonnull name) { return secure_getenv(name); }

/* The kind and content of one safe of a PKCS#12 file. */
static inline int af_PKCS7_type(const PKCS7 *_Nonnull safe) { return OBJ_obj2nid(safe->type); }
static inline const X509_ALGOR *_Nullable af_PKCS7_encryption(const PKCS7 *_Nonnull safe) {
  if (OBJ_obj2nid(safe->type) != NID_pkcs7_encrypted || !safe->d.encrypted || !safe->d.encrypted->enc_data) return NULL;
  return safe->d.encrypted->enc_data->algorithm;
}

static inline int af_ERR_reason(unsigned long code) { return ERR_GET_REASON(code); }
static const int af_ERR_R_UNSUPPORTED = ERR_R_UNSUPPORTED;

/* A fatal alert that came from the peer, or -1: for an info callback. */
static inline int af_SSL_received_alert(int where, int value) {
  return (where & SSL_CB_ALERT) && (where & SSL_CB_READ) && (value >> 8) == SSL3_AL_FATAL ? (value & 0xff) : -1;
}

static inline void af_OPENSSL_free(void *_Nullable p) { OPENSSL_free(p); }

#endif
