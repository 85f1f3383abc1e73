/* Typed doors to libcurl: its option calls are variadic, so Swift cannot make them, and some of its
   constants are macros with casts, which Swift does not import. One door per argument shape. */
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stddef.h>

typedef size_t (*af_curl_data_fn)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable user);
typedef int (*af_curl_seek_fn)(void *_Nullable user, curl_off_t offset, int origin);
typedef CURLcode (*af_curl_ssl_ctx_fn)(CURL *_Nonnull easy, void *_Nonnull ssl_ctx, void *_Nullable user);
typedef int (*af_curl_prereq_fn)(void *_Nullable user, char *_Nullable remote_ip, char *_Nullable local_ip,
                                 int remote_port, int local_port);
typedef int (*af_curl_xferinfo_fn)(void *_Nullable user, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal,
                                   curl_off_t ulnow);
typedef int (*af_curl_debug_fn)(CURL *_Nonnull easy, curl_infotype type, char *_Nonnull bytes, size_t count,
                                void *_Nullable user);
typedef curl_socket_t (*af_curl_open_socket_fn)(void *_Nullable user, curlsocktype purpose,
                                                struct curl_sockaddr *_Nullable address);
typedef int (*af_curl_close_socket_fn)(void *_Nullable user, curl_socket_t socket);

static inline CURLcode af_curl_setopt_long(CURL *_Nonnull e, CURLoption o, long v) { return curl_easy_setopt(e, o, v); }
static inline CURLcode af_curl_setopt_off(CURL *_Nonnull e, CURLoption o, curl_off_t v) { return curl_easy_setopt(e, o, v); }
static inline CURLcode af_curl_setopt_str(CURL *_Nonnull e, CURLoption o, const char *_Nullable v) { return curl_easy_setopt(e, o, v); }
static inline CURLcode af_curl_setopt_ptr(CURL *_Nonnull e, CURLoption o, void *_Nullable v) { return curl_easy_setopt(e, o, v); }
static inline CURLcode af_curl_setopt_slist(CURL *_Nonnull e, CURLoption o, struct curl_slist *_Nullable v) { return curl_easy_setopt(e, o, v); }
static inline CURLcode af_curl_setopt_data_fn(CURL *_Nonnull e, CURLoption o, af_curl_data_fn _Nullable f) { return curl_easy_setopt(e, o, f); }
static inline CURLcode af_curl_setopt_seek_fn(CURL *_Nonnull e, af_curl_seek_fn _Nullable f) { return curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, f); }
static inline CURLcode af_curl_setopt_ssl_ctx_fn(CURL *_Nonnull e, af_curl_ssl_ctx_fn _Nullable f) { return curl_easy_setopt(e, CURLOPT_SSL_CTX_FUNCTION, f); }
static inline CURLcode af_curl_setopt_prereq_fn(CURL *_Nonnull e, af_curl_prereq_fn _Nullable f) { return curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, f); }
static inline CURLcode af_curl_setopt_xferinfo_fn(CURL *_Nonnull e, af_curl_xferinfo_fn _Nullable f) { return curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, f); }
static inline CURLcode af_curl_setopt_debug_fn(CURL *_Nonnull e, af_curl_debug_fn _Nullable f) { return curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, f); }
static inline CURLcode af_curl_setopt_open_socket_fn(CURL *_Nonnull e, af_curl_open_socket_fn _Nullable f) { return curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, f); }
static inline CURLcode af_curl_setopt_close_socket_fn(CURL *_Nonnull e, af_curl_close_socket_fn _Nullable f) { return curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION, f); }

static inline CURLcode af_curl_getinfo_long(CURL *_Nonnull e, CURLINFO i, long *_Nonnull v) { return curl_easy_getinfo(e, i, v); }
static inline CURLcode af_curl_getinfo_off(CURL *_Nonnull e, CURLINFO i, curl_off_t *_Nonnull v) { return curl_easy_getinfo(e, i, v); }
static inline CURLcode af_curl_getinfo_str(CURL *_Nonnull e, CURLINFO i, const char *_Nullable *_Nonnull v) { return curl_easy_getinfo(e, i, v); }
static inline CURLcode af_curl_getinfo_ptr(CURL *_Nonnull e, CURLINFO i, void *_Nullable *_Nonnull v) { return curl_easy_getinfo(e, i, v); }

static inline CURLMcode af_curl_multi_setopt_long(CURLM *_Nonnull m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }
typedef int (*af_curl_socket_fn)(CURL *_Nonnull easy, curl_socket_t socket, int what, void *_Nullable user,
                                 void *_Nullable socket_user);
typedef int (*af_curl_timer_fn)(CURLM *_Nonnull multi, long milliseconds, void *_Nullable user);
static inline CURLMcode af_curl_multi_setopt_socket_fn(CURLM *_Nonnull m, af_curl_socket_fn _Nullable f) { return curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, f); }
static inline CURLMcode af_curl_multi_setopt_timer_fn(CURLM *_Nonnull m, af_curl_timer_fn _Nullable f) { return curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, f); }
static inline CURLMcode af_curl_multi_setopt_ptr(CURLM *_Nonnull m, CURLMoption o, void *_Nullable v) { return curl_multi_setopt(m, o, v); }
/* The `SSL *` of the connection that a transfer is on, or NULL. */
static inline void *_Nullable af_curl_ssl(CURL *_Nonnull e) {
  struct curl_tlssessioninfo *info = NULL;
  if (curl_easy_getinfo(e, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == NULL) return NULL;
  return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}
static inline CURLSHcode af_curl_share_setopt_long(CURLSH *_Nonnull s, CURLSHoption o, long v) { return curl_share_setopt(s, o, v); }

/* CURLMsg holds a union that Swift would have to reinterpret. */
typedef struct {
  CURL *_Nullable easy;
  CURLcode result;
} af_curl_done;

/* The next finished transfer of `m`, or a null handle when there is none. */
static inline af_curl_done af_curl_multi_next_done(CURLM *_Nonnull m) {
  af_curl_done done = {NULL, CURLE_OK};
  int queued = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(m, &queued)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      done.easy = message->easy_handle;
      done.result = message->data.result;
      break;
    }
  }
  return done;
}

/* Nullability is not annotated in curl.h; these are the two that Swift calls on every transfer. */
static inline CURL *_Nullable af_curl_easy_init(void) { return curl_easy_init(); }
static inline CURLM *_Nullable af_curl_multi_init(void) { return curl_multi_init(); }

static const unsigned long af_CURLAUTH_BASIC = CURLAUTH_BASIC;
static const unsigned long af_CURLAUTH_DIGEST = CURLAUTH_DIGEST;
static const unsigned long af_CURLAUTH_NTLM = CURLAUTH_NTLM;
static const unsigned long af_CURLAUTH_NEGOTIATE = CURLAUTH_NEGOTIATE;

static inline const curl_version_info_data *_Nonnull af_curl_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

#endif
