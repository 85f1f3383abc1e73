/* What AFBenchmarks compares with, and what it talks to: the clients that a careful C programmer writes on libcurl, and a
   server fast enough not to be the limit. Plain C, so that no cost of Swift hides in the yardstick. */
#ifndef CBENCHMARKPEERS_H
#define CBENCHMARKPEERS_H

#include <stddef.h>
#include <stdint.h>

/* Room for what went wrong, in words. Every function below that takes `error` writes a text there when it fails. */
#define AFB_ERROR_SIZE 512

/* --- libcurl: small requests --------------------------------------------------------------------------------------- */

typedef struct {
  const char *_Nonnull url;
  const char *_Nullable ca_file; /* the authority to trust, for https */
  long in_flight;                /* requests under way at any moment */
  int http2;                     /* one multiplexed connection instead of one connection for each request in flight */
  const char *_Nullable parked_url; /* a request that is not answered, made `parked` times beside the others */
  long parked;
} afb_requests_options;

typedef struct afb_requests afb_requests;

/* Makes the handles; null on failure. */
afb_requests *_Nullable afb_requests_open(const afb_requests_options *_Nonnull options, char *_Nonnull error);
/* Makes `count` GET requests, `in_flight` at a time, over connections that stay open. 0, or -1 on the first failure. */
int afb_requests_run(afb_requests *_Nonnull peer, int64_t count, char *_Nonnull error);
/* The same with a thread of its own for libcurl, as every client must have that does not block its caller: the calling thread
   hands requests over and is woken when there are answers, all those of one turn of the loop at a time. */
int afb_requests_run_elsewhere(afb_requests *_Nonnull peer, int64_t count, char *_Nonnull error);
void afb_requests_close(afb_requests *_Nonnull peer);

/* The number in {"bytes":N}, which the URL must answer; -1 on failure. */
int64_t afb_get_count(const char *_Nonnull url, char *_Nonnull error);

/* Makes `count` GET requests one after the other, each on a new TLS connection; TLS sessions are resumed. `ca_file` holds the
   authorities to trust. With `keeps_directory` libcurl also has the directory of certificates that Debian builds in, and
   because of it parses every authority again for each connection. */
int afb_fresh_connections(const char *_Nonnull url, const char *_Nonnull ca_file, int keeps_directory, int64_t count,
                          char *_Nonnull error);

/* --- libcurl: bulk ------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *_Nonnull url;
  const char *_Nullable ca_file;
  const char *_Nonnull file; /* the file to send */
  long concurrency;          /* uploads at a time, one each */
  long parts;                /* times that the file is in the body */
  long upload_buffer;        /* CURLOPT_UPLOAD_BUFFERSIZE */
  int64_t rate;              /* bytes per second, or 0 */
  int use_mime;              /* libcurl's own multipart encoder instead of a read callback over pread */
} afb_upload_options;

/* Sends the file as multipart/form-data after three text fields, with a Content-Length. Returns the bytes that the server
   counted, of all uploads together, or -1. */
int64_t afb_upload(const afb_upload_options *_Nonnull options, char *_Nonnull error);

typedef struct {
  const char *_Nonnull url;
  const char *_Nullable ca_file;
  const char *_Nonnull directory; /* where each download gets a file of its own, removed afterwards */
  long concurrency;
  long receive_buffer; /* CURLOPT_BUFFERSIZE */
} afb_download_options;

/* Fetches the URL to a file. Returns the bytes written, of all downloads together, or -1. */
int64_t afb_download(const afb_download_options *_Nonnull options, char *_Nonnull error);

/* --- no network ---------------------------------------------------------------------------------------------------- */

/* Reads the whole file into one reused buffer with pread, `packet` bytes a call. Returns the bytes read, or -1. */
int64_t afb_pread_file(const char *_Nonnull file, size_t packet, char *_Nonnull error);

/* Builds `count` requests with ten query parameters and two header lines, and sends none. 0, or -1. */
int afb_build_requests(int64_t count, char *_Nonnull error);

/* --- where the time goes ------------------------------------------------------------------------------------------- */

typedef enum {
  AFB_STAGE_READ,   /* reading files */
  AFB_STAGE_WRITE,  /* writing files */
  AFB_STAGE_COPY,   /* moving bytes in memory */
  AFB_STAGE_TLS,    /* OpenSSL, both ways */
  AFB_STAGE_SOCKET, /* the kernel's side of the network, and waiting calls that return at once */
  AFB_STAGE_OTHER,  /* everything else that computes */
  AFB_STAGE_COUNT
} afb_stage;

/* Begins to note, about once a millisecond of this process's processor time, what it is doing. */
void afb_profile_start(void);
/* Ends it, and gives the share of each stage in the processor time since. */
void afb_profile_stop(double shares[_Nonnull AFB_STAGE_COUNT]);

/* --- life ---------------------------------------------------------------------------------------------------------- */

/* From here on SIGINT and SIGTERM do not end this process: the signal's number is written to `pipe` as one byte. Programs
   that it starts are not affected. */
void afb_catch_interrupts(int pipe);

/* --- the server ---------------------------------------------------------------------------------------------------- */

typedef struct afb_server afb_server;

/* Listens on a free port of 127.0.0.1. With a certificate and a key (PEM files) it speaks TLS. Null on failure.
   GET /json answers a JSON object of 200 bytes; GET /bytes/N answers N bytes; GET /park is never answered, and GET /parked
   answers {"bytes":N} with the number of connections on which that is so; any other request has its body counted and
   thrown away, and is answered {"bytes":N}. HTTP/1.1 with keep-alive, Content-Length or chunked bodies. */
afb_server *_Nullable afb_server_open(const char *_Nullable certificate, const char *_Nullable key, char *_Nonnull error);
int afb_server_port(const afb_server *_Nonnull server);
/* Serves until `stop_fd` reports end of file. */
void afb_server_run(afb_server *_Nonnull server, int stop_fd);
void afb_server_close(afb_server *_Nonnull server);

#endif
