/* An HTTP/1.1 server that does as little as a server can: one thread, epoll, no allocation per request. Uploads are
   discarded in the kernel (MSG_TRUNC) and downloads sent from a file in memory (sendfile), so that a measurement shows the
   client. With TLS both go through OpenSSL. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CBenchmarkPeers.h"

enum {
  INPUT_SIZE = 16 << 10,
  SOURCE_SIZE = 4 << 20,
  DISCARD_SIZE = 256 << 10,
  /* What one connection may move before the others get their turn. */
  TURN = 8 << 20,
  /* A slow download gets so many bytes so often. */
  SLOW_PIECE = 1 << 10,
  SLOW_MILLISECONDS = 20,
};

typedef enum { HEAD, SIZED_BODY, CHUNK_SIZE, CHUNK_DATA, TRAILER } phase;

typedef struct connection connection;

struct connection {
  int fd;
  SSL *ssl;
  phase phase;
  int wants_write, keeps_alive, is_parked;
  char input[INPUT_SIZE];
  size_t input_start, input_end;
  char output[512];
  size_t output_start, output_end;
  int64_t body_left; /* of the request, or of its present chunk */
  int64_t body_count;
  int64_t source_left; /* of a download, still to be sent */
  int64_t source_offset;
  int64_t slow_left; /* pieces of a slow download, still to be sent */
  connection *next_slow;
};

struct afb_server {
  int listener, epoll, port;
  SSL_CTX *tls;
  int source_fd;
  char *source;
  char *scratch;
  int64_t parked; /* connections whose request is never answered */
  connection *slow; /* those with a slow download */
  int64_t next_tick; /* when they get their next piece, in milliseconds */
};

/* 200 bytes, as a small API answers. */
static const char json[] =
    "{\"id\":\"b1946ac9-2492-4d23-8b6f-3c9d5e7f0a12\",\"name\":\"Ada Lovelace\",\"email\":\"ada@example.org\","
    "\"active\":true,\"score\":98.75,\"tags\":[\"engine\",\"notes\",\"poetry\"],\"created\":\"1843-09-01T00:00:00Z\",\"count\":42}";

/* --- moving bytes: >0 so many, 0 closed by the peer or broken, -1 would have to wait ------------------------------- */

static ssize_t tls_result(connection *c, int result) {
  switch (SSL_get_error(c->ssl, result)) {
  case SSL_ERROR_WANT_READ:
  case SSL_ERROR_WANT_WRITE:
    return -1;
  default:
    ERR_clear_error();
    return 0;
  }
}

static ssize_t system_result(ssize_t result) {
  if (result >= 0) return result;
  return errno == EAGAIN || errno == EINTR ? -1 : 0;
}

static ssize_t receive(connection *c, void *bytes, size_t size, int flags) {
  /* Not recv(): a sanitizer takes what MSG_TRUNC discards for written. */
  if (c->ssl == NULL) return system_result(syscall(SYS_recvfrom, c->fd, bytes, size, flags, NULL, NULL));
  int result = SSL_read(c->ssl, bytes, (int)size);
  return result > 0 ? result : tls_result(c, result);
}

static ssize_t transmit(connection *c, const void *bytes, size_t size) {
  if (c->ssl == NULL) {
    ssize_t result = send(c->fd, bytes, size, MSG_NOSIGNAL);
    return result == 0 ? -1 : system_result(result);
  }
  int result = SSL_write(c->ssl, bytes, (int)size);
  return result > 0 ? result : tls_result(c, result);
}

static ssize_t transmit_source(afb_server *s, connection *c, size_t size) {
  if (c->ssl != NULL) return transmit(c, s->source + c->source_offset, size);
  off_t offset = c->source_offset;
  ssize_t result = sendfile(c->fd, s->source_fd, &offset, size);
  return result == 0 ? -1 : system_result(result);
}

/* --- connections --------------------------------------------------------------------------------------------------- */

static void end_slow(afb_server *s, connection *c) {
  for (connection **place = &s->slow; *place != NULL; place = &(*place)->next_slow) {
    if (*place != c) continue;
    *place = c->next_slow;
    return;
  }
}

static void drop(afb_server *s, connection *c) {
  s->parked -= c->is_parked;
  if (c->slow_left > 0) end_slow(s, c);
  if (c->ssl != NULL) {
    SSL_shutdown(c->ssl);
    SSL_free(c->ssl);
  }
  close(c->fd);
  free(c);
}

static void watch(afb_server *s, connection *c, int operation) {
  struct epoll_event event = {.events = c->wants_write ? EPOLLOUT : EPOLLIN, .data.ptr = c};
  epoll_ctl(s->epoll, operation, c->fd, &event);
}

static void welcome(afb_server *s) {
  int fd;
  while ((fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection *c = malloc(sizeof *c);
    if (c == NULL) {
      close(fd);
      return;
    }
    memset(c, 0, offsetof(connection, input));
    c->fd = fd;
    c->keeps_alive = 1;
    c->input_start = c->input_end = c->output_start = c->output_end = 0;
    c->body_left = c->body_count = c->source_left = c->source_offset = c->slow_left = 0;
    c->next_slow = NULL;
    if (s->tls != NULL) {
      c->ssl = SSL_new(s->tls);
      SSL_set_fd(c->ssl, fd);
      SSL_set_accept_state(c->ssl);
    }
    watch(s, c, EPOLL_CTL_ADD);
  }
}

/* --- requests ------------------------------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void append(connection *c, const char *format, ...) {
  size_t room = sizeof c->output - c->output_end;
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(c->output + c->output_end, room, format, arguments);
  va_end(arguments);
  if (count > 0 && (size_t)count < room) c->output_end += (size_t)count;
}

static void answer(connection *c, const char *type, int64_t length, const char *body) {
  append(c, "HTTP/1.1 200 OK\r\nContent-Length: %lld\r\nContent-Type: %s\r\n\r\n%s", (long long)length, type, body);
}

static void finish_body(connection *c) {
  char text[64];
  int length = snprintf(text, sizeof text, "{\"bytes\":%lld}", (long long)c->body_count);
  answer(c, "application/json", length, text);
  c->phase = HEAD;
}

/* Reads the head that starts at `head` and is `length` bytes long, its blank line included. 0 if it is not HTTP. */
static int begin(afb_server *s, connection *c, char *head, size_t length) {
  char *end = head + length;
  int is_chunked = 0, expects = 0;
  c->keeps_alive = 1;
  c->body_left = c->body_count = 0;
  char *path = memchr(head, ' ', length);
  if (path == NULL) return 0;
  path++;
  for (char *line = memchr(head, '\n', length); line != NULL && ++line < end; line = memchr(line, '\n', end - line)) {
    switch (*line | 0x20) {
    case 'c':
      if (strncasecmp(line, "content-length:", 15) == 0) c->body_left = strtoll(line + 15, NULL, 10);
      if (strncasecmp(line, "connection: close", 17) == 0) c->keeps_alive = 0;
      break;
    case 't':
      if (strncasecmp(line, "transfer-encoding: chunked", 26) == 0) is_chunked = 1;
      break;
    case 'e':
      if (strncasecmp(line, "expect: 100-continue", 20) == 0) expects = 1;
      break;
    }
  }
  if (c->body_left < 0) return 0;
  if (strncmp(path, "/json", 5) == 0 && c->body_left == 0 && !is_chunked) {
    answer(c, "application/json", sizeof json - 1, json);
  } else if (strncmp(path, "/parked", 7) == 0) {
    c->body_count = s->parked;
    finish_body(c);
  } else if (strncmp(path, "/park", 5) == 0) {
    s->parked += !c->is_parked;
    c->is_parked = 1;
  } else if (strncmp(path, "/slow/", 6) == 0) {
    int64_t pieces = strtoll(path + 6, NULL, 10);
    answer(c, "application/octet-stream", pieces * SLOW_PIECE, "");
    if (pieces > 0 && c->slow_left == 0) {
      c->slow_left = pieces;
      c->next_slow = s->slow;
      s->slow = c;
    }
  } else if (strncmp(path, "/bytes/", 7) == 0) {
    c->source_left = strtoll(path + 7, NULL, 10);
    c->source_offset = 0;
    answer(c, "application/octet-stream", c->source_left, "");
  } else {
    if (expects) append(c, "HTTP/1.1 100 Continue\r\n\r\n");
    c->phase = is_chunked ? CHUNK_SIZE : SIZED_BODY;
    if (!is_chunked && c->body_left == 0) finish_body(c);
  }
  return 1;
}

/* Takes the line that `input` starts with, if all of it has come. */
static char *take_line(connection *c) {
  char *start = c->input + c->input_start;
  char *end = memchr(start, '\n', c->input_end - c->input_start);
  if (end == NULL) return NULL;
  *end = 0;
  c->input_start = (size_t)(end + 1 - c->input);
  return start;
}

/* Goes on with what `input` holds. 1 to go on later, 0 to close. */
static int digest(afb_server *s, connection *c) {
  while (c->input_start < c->input_end && c->source_left == 0) {
    /* Answers to pipelined requests wait until those before have been sent. */
    if (c->phase == HEAD && c->output_end > 0) return 1;
    size_t count = c->input_end - c->input_start;
    char *line;
    switch (c->phase) {
    case HEAD: {
      char *start = c->input + c->input_start;
      char *end = memmem(start, count, "\r\n\r\n", 4);
      if (end == NULL) return count < INPUT_SIZE;
      size_t length = (size_t)(end + 4 - start);
      c->input_start += length;
      if (!begin(s, c, start, length)) return 0;
      break;
    }
    case SIZED_BODY:
    case CHUNK_DATA:
      if ((int64_t)count > c->body_left) count = (size_t)c->body_left;
      c->input_start += count;
      c->body_count += (int64_t)count;
      c->body_left -= (int64_t)count;
      if (c->body_left == 0) {
        if (c->phase == SIZED_BODY) finish_body(c);
        else c->phase = CHUNK_SIZE;
      }
      break;
    case CHUNK_SIZE:
      if ((line = take_line(c)) == NULL) return count < INPUT_SIZE;
      if (*line == '\r') break; /* the end of the chunk before */
      c->body_left = strtoll(line, NULL, 16);
      if (c->body_left < 0) return 0;
      c->phase = c->body_left == 0 ? TRAILER : CHUNK_DATA;
      break;
    case TRAILER:
      if ((line = take_line(c)) == NULL) return count < INPUT_SIZE;
      if (*line == '\r') finish_body(c);
      break;
    }
  }
  if (c->input_start == c->input_end) c->input_start = c->input_end = 0;
  return 1;
}

/* Sends what there is to send. 1 when all is sent, -1 when the socket is full, 0 to close. */
static int flush_output(afb_server *s, connection *c) {
  while (c->output_start < c->output_end) {
    ssize_t sent = transmit(c, c->output + c->output_start, c->output_end - c->output_start);
    if (sent <= 0) return (int)sent;
    c->output_start += (size_t)sent;
  }
  c->output_start = c->output_end = 0;
  int64_t turn = TURN;
  while (c->source_left > 0 && turn > 0) {
    int64_t size = SOURCE_SIZE - c->source_offset;
    if (size > c->source_left) size = c->source_left;
    ssize_t sent = transmit_source(s, c, (size_t)size);
    if (sent <= 0) return (int)sent;
    c->source_left -= sent;
    turn -= sent;
    c->source_offset = (c->source_offset + sent) % SOURCE_SIZE;
  }
  if (c->source_left > 0) return -1;
  return c->keeps_alive || c->phase != HEAD ? 1 : 0;
}

/* Takes what has come. >0 so many bytes, -1 nothing more for now, 0 to close. */
static ssize_t take_input(afb_server *s, connection *c) {
  if ((c->phase == SIZED_BODY || c->phase == CHUNK_DATA) && c->input_end == 0 && c->body_left > 0) {
    size_t size = c->body_left < DISCARD_SIZE || c->ssl == NULL ? (size_t)c->body_left : DISCARD_SIZE;
    ssize_t count = receive(c, s->scratch, size > TURN ? TURN : size, MSG_TRUNC);
    if (count <= 0) return count;
    c->body_count += count;
    c->body_left -= count;
    if (c->body_left == 0) {
      if (c->phase == SIZED_BODY) finish_body(c);
      else c->phase = CHUNK_SIZE;
    }
    return count;
  }
  if (c->input_start > 0) {
    memmove(c->input, c->input + c->input_start, c->input_end - c->input_start);
    c->input_end -= c->input_start;
    c->input_start = 0;
  }
  ssize_t count = receive(c, c->input + c->input_end, INPUT_SIZE - c->input_end, 0);
  if (count > 0) c->input_end += (size_t)count;
  return count;
}

static void serve(afb_server *s, connection *c) {
  int64_t turn = TURN;
  int sent = 1;
  for (;;) {
    sent = flush_output(s, c);
    if (sent <= 0) break;
    if (!digest(s, c)) {
      sent = 0;
      break;
    }
    if (c->output_end > 0 || c->source_left > 0) continue;
    /* What TLS has decrypted already raises no event: it cannot be left for later. */
    if (turn <= 0 && (c->ssl == NULL || SSL_pending(c->ssl) == 0)) break;
    ssize_t count = take_input(s, c);
    if (count == 0) {
      sent = 0;
      break;
    }
    if (count < 0) break;
    turn -= count;
  }
  if (sent == 0) {
    drop(s, c);
    return;
  }
  int wants_write = sent < 0;
  if (wants_write != c->wants_write) {
    c->wants_write = wants_write;
    watch(s, c, EPOLL_CTL_MOD);
  }
}

/* --- life ---------------------------------------------------------------------------------------------------------- */

static int open_tls(afb_server *s, const char *certificate, const char *key, char *error) {
  s->tls = SSL_CTX_new(TLS_server_method());
  if (s->tls != NULL && SSL_CTX_use_certificate_chain_file(s->tls, certificate) == 1 &&
      SSL_CTX_use_PrivateKey_file(s->tls, key, SSL_FILETYPE_PEM) == 1) {
    SSL_CTX_set_mode(s->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(s->tls, SSL_OP_IGNORE_UNEXPECTED_EOF);
    return 1;
  }
  char reason[256];
  ERR_error_string_n(ERR_get_error(), reason, sizeof reason);
  snprintf(error, AFB_ERROR_SIZE, "certificate %s with key %s: %s", certificate, key, reason);
  return 0;
}

/* The bytes of a download: a file in memory, so that sendfile need not copy them, also mapped for TLS. */
static int open_source(afb_server *s) {
  s->source_fd = memfd_create("download", MFD_CLOEXEC);
  if (s->source_fd < 0 || ftruncate(s->source_fd, SOURCE_SIZE) != 0) return 0;
  void *bytes = mmap(NULL, SOURCE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, s->source_fd, 0);
  if (bytes == MAP_FAILED) return 0;
  s->source = bytes;
  uint32_t state = 1;
  for (size_t i = 0; i < SOURCE_SIZE; i++) {
    state = state * 1664525u + 1013904223u;
    s->source[i] = (char)(state >> 24);
  }
  return 1;
}

static int open_listener(afb_server *s) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, size) != 0 || listen(s->listener, 1024) != 0 ||
      getsockname(s->listener, (struct sockaddr *)&address, &size) != 0)
    return 0;
  s->port = ntohs(address.sin_port);
  s->epoll = epoll_create1(EPOLL_CLOEXEC);
  return s->epoll >= 0;
}

afb_server *afb_server_open(const char *certificate, const char *key, char *error) {
  afb_server *s = calloc(1, sizeof *s);
  if (s == NULL) {
    snprintf(error, AFB_ERROR_SIZE, "out of memory");
    return NULL;
  }
  s->listener = s->epoll = s->source_fd = -1;
  s->scratch = malloc(DISCARD_SIZE);
  if (certificate != NULL && key != NULL && !open_tls(s, certificate, key, error)) {
    afb_server_close(s);
    return NULL;
  }
  if (s->scratch == NULL || !open_source(s) || !open_listener(s)) {
    snprintf(error, AFB_ERROR_SIZE, "cannot listen on 127.0.0.1: %s", strerror(errno));
    afb_server_close(s);
    return NULL;
  }
  signal(SIGPIPE, SIG_IGN);
  return s;
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Gives each slow download its piece, if it is time. Returns how long to wait for the next, -1 if there is none. */
static int tick(afb_server *s) {
  if (s->slow == NULL) {
    s->next_tick = 0;
    return -1;
  }
  int64_t now = milliseconds();
  if (s->next_tick == 0) s->next_tick = now + SLOW_MILLISECONDS;
  if (now >= s->next_tick) {
    s->next_tick += SLOW_MILLISECONDS;
    connection *next;
    for (connection *c = s->slow; c != NULL; c = next) {
      next = c->next_slow;
      /* So little fits, unless the client has stopped reading; then it is late. */
      if (c->output_end > 0 || transmit(c, s->source, SLOW_PIECE) != SLOW_PIECE) continue;
      if (--c->slow_left == 0) end_slow(s, c);
    }
  }
  int64_t left = s->next_tick - milliseconds();
  return left > 0 ? (int)left : 0;
}

int afb_server_port(const afb_server *s) { return s->port; }

void afb_server_run(afb_server *s, int stop_fd) {
  /* These two pointers stand for what is not a connection. */
  struct epoll_event accepts = {.events = EPOLLIN, .data.ptr = s};
  struct epoll_event stops = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = NULL};
  epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->listener, &accepts);
  epoll_ctl(s->epoll, EPOLL_CTL_ADD, stop_fd, &stops);
  struct epoll_event events[256];
  for (;;) {
    int count = epoll_wait(s->epoll, events, 256, tick(s));
    if (count < 0 && errno != EINTR) return;
    for (int i = 0; i < count; i++) {
      if (events[i].data.ptr == NULL) {
        char byte;
        if (read(stop_fd, &byte, 1) <= 0) return;
      } else if (events[i].data.ptr == s) {
        welcome(s);
      } else {
        serve(s, events[i].data.ptr);
      }
    }
  }
}

void afb_server_close(afb_server *s) {
  if (s->listener >= 0) close(s->listener);
  if (s->epoll >= 0) close(s->epoll);
  if (s->source != NULL) munmap(s->source, SOURCE_SIZE);
  if (s->source_fd >= 0) close(s->source_fd);
  SSL_CTX_free(s->tls);
  free(s->scratch);
  free(s);
}
