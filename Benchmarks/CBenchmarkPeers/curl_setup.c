#include "curl_setup.h"

#include <stdio.h>

#include "CBenchmarkPeers.h"

CURL *afb_easy(const char *url, const char *ca_file, int http2, char *error) {
  CURL *easy = curl_easy_init();
  if (easy == NULL) {
    snprintf(error, AFB_ERROR_SIZE, "libcurl made no handle");
    return NULL;
  }
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  if (http2) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  if (ca_file != NULL) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  }
  return easy;
}

int afb_fail(CURLcode code, const char *detail, char *error) {
  snprintf(error, AFB_ERROR_SIZE, "libcurl: %s", detail != NULL && *detail != 0 ? detail : curl_easy_strerror(code));
  return -1;
}

int afb_check_status(CURL *easy, char *error) {
  long status = 0;
  char *url = NULL;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) return 0;
  curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
  snprintf(error, AFB_ERROR_SIZE, "%s answered %ld", url != NULL ? url : "the server", status);
  return -1;
}

int afb_run_all(CURLM *multi, char *error) {
  int running = 1, queued, result = 0;
  while (running > 0) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) return afb_fail(CURLE_FAILED_INIT, "multi handle", error);
    if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &queued)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    if (message->data.result != CURLE_OK) result = afb_fail(message->data.result, NULL, error);
    else if (afb_check_status(message->easy_handle, error) != 0) result = -1;
  }
  return result;
}
