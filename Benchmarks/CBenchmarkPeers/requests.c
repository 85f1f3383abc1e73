/* Small requests on one thread: curl_multi_socket_action under epoll, with every handle used again. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "CBenchmarkPeers.h"
#include "curl_setup.h"

struct afb_requests {
  CURLM *multi;
  CURL **handles;
  long handle_count;
  CURL **parked;
  long parked_count;
  int epoll;
  int bell;         /* what wakes the thread that carries requests out for another; -1 without */
  int64_t deadline; /* of libcurl's one timer, in ms; -1 without */
  char *body;       /* of the response that is arriving; a client keeps what it was sent */
  size_t body_size;
};

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static size_t keep(char *bytes, size_t size, size_t count, void *user) {
  afb_requests *peer = user;
  size_t length = size * count;
  if (length <= peer->body_size) memcpy(peer->body, bytes, length);
  return length;
}

static int on_socket(CURL *easy, curl_socket_t socket, int action, void *user, void *known) {
  (void)easy;
  afb_requests *peer = user;
  if (action == CURL_POLL_REMOVE) {
    epoll_ctl(peer->epoll, EPOLL_CTL_DEL, socket, NULL);
    return 0;
  }
  struct epoll_event event = {.data.fd = socket};
  if (action & CURL_POLL_IN) event.events |= EPOLLIN;
  if (action & CURL_POLL_OUT) event.events |= EPOLLOUT;
  if (epoll_ctl(peer->epoll, known != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST)
    epoll_ctl(peer->epoll, EPOLL_CTL_MOD, socket, &event);
  if (known == NULL) curl_multi_assign(peer->multi, socket, peer);
  return 0;
}

static int on_timer(CURLM *multi, long timeout, void *user) {
  (void)multi;
  ((afb_requests *)user)->deadline = timeout < 0 ? -1 : now_ms() + timeout;
  return 0;
}

afb_requests *afb_requests_open(const afb_requests_options *options, char *error) {
  afb_requests *peer = calloc(1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->deadline = -1;
  peer->bell = -1;
  peer->epoll = epoll_create1(EPOLL_CLOEXEC);
  peer->multi = curl_multi_init();
  peer->body_size = 64 << 10;
  peer->body = malloc(peer->body_size);
  peer->handles = calloc((size_t)options->in_flight, sizeof *peer->handles);
  peer->parked = calloc((size_t)options->parked + 1, sizeof *peer->parked);
  if (peer->epoll < 0 || peer->multi == NULL || peer->body == NULL || peer->handles == NULL || peer->parked == NULL) {
    snprintf(error, AFB_ERROR_SIZE, "cannot set libcurl up: %s", strerror(errno));
    afb_requests_close(peer);
    return NULL;
  }
  curl_multi_setopt(peer->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(peer->multi, CURLMOPT_SOCKETDATA, peer);
  curl_multi_setopt(peer->multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(peer->multi, CURLMOPT_TIMERDATA, peer);
  curl_multi_setopt(peer->multi, CURLMOPT_MAXCONNECTS, options->in_flight + options->parked + 8);
  for (long i = 0; i < options->in_flight; i++) {
    CURL *easy = afb_easy(options->url, options->ca_file, options->http2, error);
    if (easy == NULL) {
      afb_requests_close(peer);
      return NULL;
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, peer);
    peer->handles[peer->handle_count++] = easy;
  }
  for (long i = 0; i < options->parked; i++) {
    CURL *easy = afb_easy(options->parked_url, options->ca_file, 0, error);
    if (easy == NULL) {
      afb_requests_close(peer);
      return NULL;
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, peer);
    peer->parked[peer->parked_count++] = easy;
    curl_multi_add_handle(peer->multi, easy);
  }
  return peer;
}

static int wait_and_act(afb_requests *peer, int *running) {
  struct epoll_event events[128];
  int64_t wait = peer->deadline < 0 ? 1000 : peer->deadline - now_ms();
  int count = epoll_wait(peer->epoll, events, 128, wait < 0 ? 0 : (int)wait);
  if (count < 0) return errno == EINTR ? 0 : -1;
  for (int i = 0; i < count; i++) {
    int action = 0;
    eventfd_t rings;
    if (events[i].data.fd == peer->bell) {
      eventfd_read(peer->bell, &rings);
      continue;
    }
    if (events[i].events & EPOLLIN) action |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) action |= CURL_CSELECT_OUT;
    if (events[i].events & (EPOLLERR | EPOLLHUP)) action |= CURL_CSELECT_ERR;
    curl_multi_socket_action(peer->multi, events[i].data.fd, action, running);
  }
  if (peer->deadline >= 0 && peer->deadline <= now_ms()) {
    peer->deadline = -1;
    curl_multi_socket_action(peer->multi, CURL_SOCKET_TIMEOUT, 0, running);
  }
  return 0;
}

int afb_requests_run(afb_requests *peer, int64_t count, char *error) {
  int64_t started = 0, done = 0;
  int running = 0, queued;
  for (; started < peer->handle_count && started < count; started++)
    curl_multi_add_handle(peer->multi, peer->handles[started]);
  while (done < count) {
    if (wait_and_act(peer, &running) != 0) {
      snprintf(error, AFB_ERROR_SIZE, "epoll: %s", strerror(errno));
      return -1;
    }
    CURLMsg *message;
    while ((message = curl_multi_info_read(peer->multi, &queued)) != NULL) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *easy = message->easy_handle;
      if (message->data.result != CURLE_OK) return afb_fail(message->data.result, NULL, error);
      if (afb_check_status(easy, error) != 0) return -1;
      done++;
      curl_multi_remove_handle(peer->multi, easy);
      if (started < count) {
        curl_multi_add_handle(peer->multi, easy);
        started++;
      }
    }
  }
  return 0;
}

/* What the thread that asks and the thread that carries out have in common. */
struct handoff {
  afb_requests *peer;
  pthread_mutex_t lock;
  sem_t answered;
  CURL **asked, **done; /* handles on their way to the other thread */
  long asked_count, done_count;
  int is_over; /* nobody asks any more, or a request failed */
  int failed;
  char *error;
};

static long take(struct handoff *hand, CURL **from, long *count, CURL **into) {
  pthread_mutex_lock(&hand->lock);
  long taken = *count;
  memcpy(into, from, (size_t)taken * sizeof *into);
  *count = 0;
  pthread_mutex_unlock(&hand->lock);
  return taken;
}

static void *carry_out(void *argument) {
  struct handoff *hand = argument;
  afb_requests *peer = hand->peer;
  CURL *handles[peer->handle_count];
  int running = 0, queued, is_over = 0;
  while (!is_over) {
    long count = take(hand, hand->asked, &hand->asked_count, handles);
    for (long i = 0; i < count; i++) curl_multi_add_handle(peer->multi, handles[i]);
    int failed = wait_and_act(peer, &running) != 0;
    long done = 0;
    CURLMsg *message;
    while (!failed && (message = curl_multi_info_read(peer->multi, &queued)) != NULL) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *easy = message->easy_handle;
      if (message->data.result != CURLE_OK) afb_fail(message->data.result, NULL, hand->error), failed = 1;
      if (!failed && afb_check_status(easy, hand->error) != 0) failed = 1;
      curl_multi_remove_handle(peer->multi, easy);
      handles[done++] = easy;
    }
    pthread_mutex_lock(&hand->lock);
    memcpy(hand->done + hand->done_count, handles, (size_t)done * sizeof *handles);
    hand->done_count += done;
    if (failed) hand->failed = hand->is_over = 1;
    is_over = hand->is_over;
    pthread_mutex_unlock(&hand->lock);
    if (done > 0 || failed) sem_post(&hand->answered);
  }
  return NULL;
}

int afb_requests_run_elsewhere(afb_requests *peer, int64_t count, char *error) {
  CURL *asked[peer->handle_count], *done[peer->handle_count], *handles[peer->handle_count];
  struct handoff hand = {.peer = peer, .asked = asked, .done = done, .error = error};
  pthread_mutex_init(&hand.lock, NULL);
  sem_init(&hand.answered, 0, 0);
  peer->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = peer->bell};
  epoll_ctl(peer->epoll, EPOLL_CTL_ADD, peer->bell, &event);
  pthread_t thread;
  if (peer->bell < 0 || pthread_create(&thread, NULL, carry_out, &hand) != 0) {
    snprintf(error, AFB_ERROR_SIZE, "cannot start a thread: %s", strerror(errno));
    return -1;
  }
  int64_t started = 0, finished = 0;
  long free_count = peer->handle_count;
  memcpy(handles, peer->handles, (size_t)free_count * sizeof *handles);
  while (finished < count) {
    pthread_mutex_lock(&hand.lock);
    int failed = hand.failed;
    for (; free_count > 0 && started < count; started++) asked[hand.asked_count++] = handles[--free_count];
    pthread_mutex_unlock(&hand.lock);
    if (failed) break;
    eventfd_write(peer->bell, 1);
    while (sem_wait(&hand.answered) != 0) continue;
    long answered = take(&hand, done, &hand.done_count, handles + free_count);
    free_count += answered;
    finished += answered;
  }
  pthread_mutex_lock(&hand.lock);
  hand.is_over = 1;
  pthread_mutex_unlock(&hand.lock);
  eventfd_write(peer->bell, 1);
  pthread_join(thread, NULL);
  close(peer->bell);
  peer->bell = -1;
  pthread_mutex_destroy(&hand.lock);
  sem_destroy(&hand.answered);
  return hand.failed ? -1 : 0;
}

void afb_requests_close(afb_requests *peer) {
  for (long i = 0; i < peer->parked_count; i++) {
    curl_multi_remove_handle(peer->multi, peer->parked[i]);
    curl_easy_cleanup(peer->parked[i]);
  }
  for (long i = 0; i < peer->handle_count; i++) {
    curl_multi_remove_handle(peer->multi, peer->handles[i]);
    curl_easy_cleanup(peer->handles[i]);
  }
  if (peer->multi != NULL) curl_multi_cleanup(peer->multi);
  if (peer->epoll >= 0) close(peer->epoll);
  free(peer->handles);
  free(peer->parked);
  free(peer->body);
  free(peer);
}

static size_t keep_text(char *bytes, size_t size, size_t count, void *user) {
  char *text = user;
  size_t length = strlen(text);
  if (length + size * count < 64) memcpy(text + length, bytes, size * count);
  return size * count;
}

int64_t afb_get_count(const char *url, char *error) {
  char text[64] = "";
  long long value = -1;
  CURL *easy = afb_easy(url, NULL, 0, error);
  if (easy == NULL) return -1;
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep_text);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, text);
  CURLcode code = curl_easy_perform(easy);
  if (code != CURLE_OK) afb_fail(code, NULL, error);
  else if (afb_check_status(easy, error) == 0 && sscanf(text, "{\"bytes\":%lld}", &value) != 1)
    snprintf(error, AFB_ERROR_SIZE, "%s answered no number but %s", url, text);
  curl_easy_cleanup(easy);
  return value;
}

static size_t drop(char *bytes, size_t size, size_t count, void *user) {
  (void)bytes, (void)user;
  return size * count;
}

int afb_fresh_connections(const char *url, const char *ca_file, int keeps_directory, int64_t count, char *error) {
  CURL *easy = afb_easy(url, ca_file, 0, error);
  if (easy == NULL) return -1;
  if (keeps_directory) curl_easy_setopt(easy, CURLOPT_CAPATH, "/etc/ssl/certs");
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
  int result = 0;
  for (int64_t i = 0; result == 0 && i < count; i++) {
    CURLcode code = curl_easy_perform(easy);
    result = code != CURLE_OK ? afb_fail(code, NULL, error) : afb_check_status(easy, error);
  }
  curl_easy_cleanup(easy);
  return result;
}
