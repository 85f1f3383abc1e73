/* Downloads to a file at libcurl's best: its largest receive buffer, one write a callback. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CBenchmarkPeers.h"
#include "curl_setup.h"

typedef struct {
  CURL *easy;
  int file;
  int64_t written;
  char path[1024];
} download;

static size_t take(char *bytes, size_t size, size_t count, void *user) {
  download *d = user;
  size_t length = size * count, done = 0;
  while (done < length) {
    ssize_t written = write(d->file, bytes + done, length - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return 0;
    done += (size_t)written;
  }
  d->written += (int64_t)length;
  return length;
}

static int open_download(download *d, const afb_download_options *options, char *error) {
  snprintf(d->path, sizeof d->path, "%s/libcurl-XXXXXX", options->directory);
  d->file = mkostemp(d->path, O_CLOEXEC);
  if (d->file < 0) {
    snprintf(error, AFB_ERROR_SIZE, "make %s: %s", d->path, strerror(errno));
    return -1;
  }
  d->easy = afb_easy(options->url, options->ca_file, 0, error);
  if (d->easy == NULL) return -1;
  curl_easy_setopt(d->easy, CURLOPT_BUFFERSIZE, options->receive_buffer);
  curl_easy_setopt(d->easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(d->easy, CURLOPT_WRITEDATA, d);
  return 0;
}

int64_t afb_download(const afb_download_options *options, char *error) {
  int64_t total = 0;
  CURLM *multi = curl_multi_init();
  download *downloads = calloc((size_t)options->concurrency, sizeof *downloads);
  if (multi == NULL || downloads == NULL) {
    snprintf(error, AFB_ERROR_SIZE, "out of memory");
    return -1;
  }
  for (long i = 0; i < options->concurrency; i++) downloads[i].file = -1;
  for (long i = 0; i < options->concurrency && total == 0; i++) {
    if (open_download(&downloads[i], options, error) != 0) total = -1;
    else curl_multi_add_handle(multi, downloads[i].easy);
  }
  if (total == 0 && afb_run_all(multi, error) != 0) total = -1;
  for (long i = 0; i < options->concurrency; i++) {
    if (total >= 0) total += downloads[i].written;
    if (downloads[i].easy != NULL) {
      curl_multi_remove_handle(multi, downloads[i].easy);
      curl_easy_cleanup(downloads[i].easy);
    }
    if (downloads[i].file >= 0) {
      close(downloads[i].file);
      unlink(downloads[i].path);
    }
  }
  curl_multi_cleanup(multi);
  free(downloads);
  return total;
}
