/* What the libcurl peers share. */
#ifndef CURL_SETUP_H
#define CURL_SETUP_H

#include <curl/curl.h>

/* Sets what every peer sets: the authority, no signals, no Expect. Returns the handle, or null with `error` filled. */
CURL *afb_easy(const char *url, const char *ca_file, int http2, char *error);

/* Says in `error` what `code` means for `easy`, whose CURLOPT_ERRORBUFFER may know more. Always -1. */
int afb_fail(CURLcode code, const char *detail, char *error);

/* 0 if `easy` ended with 200 to 299, otherwise -1 with `error` filled. */
int afb_check_status(CURL *easy, char *error);

/* Runs every handle of `multi` to its end; true in `*failed` if one failed, with `error` filled. */
int afb_run_all(CURLM *multi, char *error);

#endif
