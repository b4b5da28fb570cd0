/*
 * Loaded before a program (LD_PRELOAD): the file CLOCK_STEP holds a number of seconds, which is added to the time of day. The
 * monotonic clock stays as it is, as when somebody sets the clock of a machine.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long step(void) {
  const char *file = getenv("CLOCK_STEP");
  if (file == NULL) return 0;
  int fd = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[24] = {0};
  long got = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  return got > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += step();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = syscall(SYS_gettimeofday, now, zone);
  if (result == 0 && now != NULL) now->tv_sec += step();
  return result;
}

time_t time(time_t *now) {
  struct timeval moment;
  gettimeofday(&moment, NULL);
  if (now != NULL) *now = moment.tv_sec;
  return moment.tv_sec;
}
