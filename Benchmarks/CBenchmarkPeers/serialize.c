#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "CBenchmarkPeers.h"

/* One request: the URL taken apart and put together with an escaped query, and two header lines. */
static int build(CURL *easy) {
  CURLU *url = curl_url();
  char *text = NULL;
  int failed = url == NULL || curl_url_set(url, CURLUPART_URL, "https://example.com/api/v1/items", 0);
  for (int i = 0; !failed && i < 10; i++) {
    char value[64], pair[256];
    snprintf(value, sizeof value, "value number %d & more", i);
    char *escaped = curl_easy_escape(easy, value, 0);
    failed = escaped == NULL;
    if (!failed) {
      snprintf(pair, sizeof pair, "key%d=%s", i, escaped);
      failed = curl_url_set(url, CURLUPART_QUERY, pair, CURLU_APPENDQUERY) != CURLUE_OK;
    }
    curl_free(escaped);
  }
  failed = failed || curl_url_get(url, CURLUPART_URL, &text, 0);
  struct curl_slist *headers = curl_slist_append(NULL, "Accept-Language: en;q=1");
  headers = curl_slist_append(headers, "User-Agent: AFBenchmarks/1.0 (Linux 6.1.0)");
  failed = failed || headers == NULL || curl_easy_setopt(easy, CURLOPT_URL, text) ||
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
  curl_slist_free_all(headers);
  curl_free(text);
  curl_url_cleanup(url);
  return failed;
}

int afb_build_requests(int64_t count, char *error) {
  CURL *easy = curl_easy_init();
  int failed = easy == NULL;
  for (int64_t i = 0; !failed && i < count; i++) failed = build(easy);
  curl_easy_cleanup(easy);
  if (failed) snprintf(error, AFB_ERROR_SIZE, "libcurl made no request");
  return failed ? -1 : 0;
}
