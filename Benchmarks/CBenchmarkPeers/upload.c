/* Multipart uploads at libcurl's best: the body made by hand, the file read with pread straight into libcurl's own buffer. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CBenchmarkPeers.h"
#include "curl_setup.h"

#define BOUNDARY "Boundary+0123456789ABCDEF"

/* The same three fields that every client of the benchmark sends before the file. */
static const char *const fields[3][2] = {{"title", "A large file"}, {"author", "Ada Lovelace"}, {"revision", "42"}};

typedef struct {
  CURL *easy;
  curl_mime *mime;
  struct curl_slist *headers;
  int file;
  int64_t file_size;
  long parts;
  long part;         /* the part being sent; `parts` for what follows the last */
  int64_t part_sent; /* bytes of the file that are sent of this part */
  char head[1024];   /* what stands before the present part's file bytes, or at the end */
  size_t head_sent, head_size;
  char answer[128];
  size_t answer_size;
} upload;

static const char file_head[] = "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.bin\"\r\n"
                                "Content-Type: application/octet-stream\r\n\r\n";

static size_t make_fields(char *text, size_t room) {
  size_t length = 0;
  for (int i = 0; i < 3; i++)
    length += (size_t)snprintf(text + length, room - length,
                               "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", fields[i][0],
                               fields[i][1]);
  return length;
}

static void make_head(upload *u) {
  u->head_sent = 0;
  u->part_sent = 0;
  if (u->part == u->parts) {
    u->head_size = (size_t)snprintf(u->head, sizeof u->head, "\r\n--" BOUNDARY "--\r\n");
    return;
  }
  size_t length = u->part == 0 ? make_fields(u->head, sizeof u->head) : (size_t)sprintf(u->head, "\r\n");
  u->head_size = length + (size_t)snprintf(u->head + length, sizeof u->head - length, "%s", file_head);
}

static int64_t body_size(const upload *u) {
  char text[1024];
  int64_t framing = (int64_t)sizeof file_head - 1 + 2; /* each part's own, and the line end before what follows it */
  return (int64_t)make_fields(text, sizeof text) + u->parts * (framing + u->file_size) + (int64_t)strlen("--" BOUNDARY "--\r\n");
}

static size_t give(char *bytes, size_t size, size_t count, void *user) {
  upload *u = user;
  size_t room = size * count, given = 0;
  while (given < room) {
    if (u->head_sent < u->head_size) {
      size_t length = u->head_size - u->head_sent;
      if (length > room - given) length = room - given;
      memcpy(bytes + given, u->head + u->head_sent, length);
      u->head_sent += length;
      given += length;
    } else if (u->part < u->parts && u->part_sent < u->file_size) {
      ssize_t length = pread(u->file, bytes + given, room - given, u->part_sent);
      if (length <= 0) return CURL_READFUNC_ABORT;
      u->part_sent += length;
      given += (size_t)length;
    } else if (u->part < u->parts) {
      u->part++;
      make_head(u);
    } else {
      break;
    }
  }
  return given;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *user) {
  upload *u = user;
  size_t length = size * count;
  if (u->answer_size + length >= sizeof u->answer) return 0;
  memcpy(u->answer + u->answer_size, bytes, length);
  u->answer_size += length;
  return length;
}

static void close_upload(upload *u) {
  curl_easy_cleanup(u->easy);
  curl_mime_free(u->mime);
  curl_slist_free_all(u->headers);
  if (u->file >= 0) close(u->file);
}

static void use_mime(upload *u, const char *file) {
  u->mime = curl_mime_init(u->easy);
  for (int i = 0; i < 3; i++) {
    curl_mimepart *part = curl_mime_addpart(u->mime);
    curl_mime_name(part, fields[i][0]);
    curl_mime_data(part, fields[i][1], CURL_ZERO_TERMINATED);
  }
  for (long i = 0; i < u->parts; i++) {
    curl_mimepart *part = curl_mime_addpart(u->mime);
    curl_mime_name(part, "file");
    curl_mime_filedata(part, file);
    curl_mime_type(part, "application/octet-stream");
  }
  curl_easy_setopt(u->easy, CURLOPT_MIMEPOST, u->mime);
}

static int open_upload(upload *u, const afb_upload_options *options, char *error) {
  struct stat info;
  u->parts = options->parts;
  u->file = open(options->file, O_RDONLY | O_CLOEXEC);
  if (u->file < 0 || fstat(u->file, &info) != 0) {
    snprintf(error, AFB_ERROR_SIZE, "open %s: %s", options->file, strerror(errno));
    return -1;
  }
  u->file_size = info.st_size;
  u->easy = afb_easy(options->url, options->ca_file, 0, error);
  if (u->easy == NULL) return -1;
  u->headers = curl_slist_append(NULL, "Expect:");
  if (options->use_mime) {
    use_mime(u, options->file);
  } else {
    make_head(u);
    u->headers = curl_slist_append(u->headers, "Content-Type: multipart/form-data; boundary=" BOUNDARY);
    curl_easy_setopt(u->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(u->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body_size(u));
    curl_easy_setopt(u->easy, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(u->easy, CURLOPT_READDATA, u);
  }
  curl_easy_setopt(u->easy, CURLOPT_HTTPHEADER, u->headers);
  curl_easy_setopt(u->easy, CURLOPT_UPLOAD_BUFFERSIZE, options->upload_buffer);
  curl_easy_setopt(u->easy, CURLOPT_WRITEFUNCTION, take_answer);
  curl_easy_setopt(u->easy, CURLOPT_WRITEDATA, u);
  if (options->rate > 0) curl_easy_setopt(u->easy, CURLOPT_MAX_SEND_SPEED_LARGE, (curl_off_t)options->rate);
  return 0;
}

/* What the server says it counted, or -1. */
static int64_t counted(upload *u) {
  long long bytes = -1;
  u->answer[u->answer_size] = 0;
  return sscanf(u->answer, "{\"bytes\":%lld}", &bytes) == 1 ? bytes : -1;
}

int64_t afb_upload(const afb_upload_options *options, char *error) {
  int64_t total = 0;
  CURLM *multi = curl_multi_init();
  upload *uploads = calloc((size_t)options->concurrency, sizeof *uploads);
  if (multi == NULL || uploads == NULL) {
    snprintf(error, AFB_ERROR_SIZE, "out of memory");
    return -1;
  }
  for (long i = 0; i < options->concurrency; i++) uploads[i].file = -1;
  for (long i = 0; i < options->concurrency && total == 0; i++) {
    if (open_upload(&uploads[i], options, error) != 0) total = -1;
    else curl_multi_add_handle(multi, uploads[i].easy);
  }
  if (total == 0 && afb_run_all(multi, error) != 0) total = -1;
  for (long i = 0; i < options->concurrency; i++) {
    int64_t bytes = counted(&uploads[i]);
    if (total >= 0 && bytes < 0) snprintf(error, AFB_ERROR_SIZE, "the server did not say what it received");
    total = total < 0 || bytes < 0 ? -1 : total + bytes;
    if (uploads[i].easy != NULL) curl_multi_remove_handle(multi, uploads[i].easy);
    close_upload(&uploads[i]);
  }
  curl_multi_cleanup(multi);
  free(uploads);
  return total;
}
