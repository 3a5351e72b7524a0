/* Makes the file system fail: preloaded into a program, it counts what changes files whose path holds $FAULT_IN, and lets
 * number $FAULT_AT fail with a full disk, or kills the program there when $FAULT_KILL is set. When it did, $FAULT_DONE is
 * there afterwards. Also puts the clock ahead by $CLOCK_AHEAD seconds, lets the system watch $WATCHES folders at most, and
 * takes locks away with $NO_LOCKS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static atomic_int count;
/* Files that were opened to be written. */
static atomic_char opened[4096];

static int fires(const char *path) {
  const char *in = getenv("FAULT_IN"), *at = getenv("FAULT_AT"), *done = getenv("FAULT_DONE");
  if (!in || !at || !done || !path || !strstr(path, in)) return 0;
  if (atomic_fetch_add(&count, 1) != atoi(at)) return 0;
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  int fd = real(done, O_CREAT | O_WRONLY, 0600);
  if (fd >= 0) close(fd);
  if (getenv("FAULT_KILL")) raise(SIGKILL);
  errno = ENOSPC;
  return 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int mark(int fd) {
  if (fd >= 0 && fd < (int)sizeof opened) opened[fd] = 1;
  return fd;
}

#define OPEN(name)                                                \
  int name(const char *path, int flags, ...) {                    \
    va_list rest;                                                 \
    va_start(rest, flags);                                        \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;     \
    va_end(rest);                                                 \
    REAL(name);                                                   \
    const char *in = getenv("FAULT_IN");                          \
    int matters = flags & O_CREAT && in && path && strstr(path, in); \
    if (matters && fires(path)) return -1;                        \
    int fd = real(path, flags, mode);                             \
    return matters ? mark(fd) : fd;                               \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < (int)sizeof opened) opened[fd] = 0;
  return real(fd);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write);
  if (fd >= 0 && fd < (int)sizeof opened && opened[fd] && fires(getenv("FAULT_IN"))) return -1;
  return real(fd, bytes, length);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  return fires(to) ? -1 : real(from, to);
}

int unlink(const char *path) {
  REAL(unlink);
  return fires(path) ? -1 : real(path);
}

int rmdir(const char *path) {
  REAL(rmdir);
  return fires(path) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  return fires(path) ? -1 : real(path, mode);
}

int link(const char *from, const char *to) {
  REAL(link);
  return fires(to) ? -1 : real(from, to);
}

int linkat(int at, const char *from, int below, const char *to, int flags) {
  REAL(linkat);
  return fires(to) ? -1 : real(at, from, below, to, flags);
}

/* A folder that is watched already counts again. */
int inotify_add_watch(int fd, const char *path, uint32_t mask) {
  static atomic_int watched;
  REAL(inotify_add_watch);
  const char *most = getenv("WATCHES");
  if (most && atomic_fetch_add(&watched, 1) >= atoi(most)) {
    errno = ENOSPC;
    return -1;
  }
  return real(fd, path, mask);
}

int flock(int fd, int operation) {
  REAL(flock);
  if (getenv("NO_LOCKS")) {
    errno = ENOLCK;
    return -1;
  }
  return real(fd, operation);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(clock_gettime);
  int done = real(clock, now);
  const char *ahead = getenv("CLOCK_AHEAD");
  if (done == 0 && clock == CLOCK_REALTIME && ahead) now->tv_sec += atol(ahead);
  return done;
}
