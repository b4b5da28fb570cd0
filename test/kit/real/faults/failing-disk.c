/*
 * Loaded before a program (LD_PRELOAD): while the file DISK_FAULT holds a number, every call that writes below the folder
 * DISK_ROOT fails with that number as errno. With a minus sign, calls that read what is open there fail too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* The errno of now: negative when reads fail too, 0 when nothing does. */
static int fault(void) {
  const char *file = getenv("DISK_FAULT");
  if (file == NULL) return 0;
  int fd = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[16] = {0};
  long got = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  return got > 0 ? atoi(text) : 0;
}

static int below(const char *path) {
  const char *root = getenv("DISK_ROOT");
  return root != NULL && path != NULL && strncmp(path, root, strlen(root)) == 0;
}

static int fd_below(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return below(path);
}

/* A full disk lets go of what is there. */
static int refused(int is_below, int frees) {
  int now = is_below ? fault() : 0;
  if (now < 0) now = -now;
  if (now == 0 || (frees && now == ENOSPC)) return 0;
  errno = now;
  return 1;
}

static int unread(int fd) {
  if (!fd_below(fd)) return 0;
  int now = fault();
  if (now >= 0) return 0;
  errno = -now;
  return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRITES(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & (O_CREAT | O_TRUNC)))

/* A file that is open already, or only opened to be written later, is no write on a full disk; a new one is. */
static int open_refused(const char *path, int flags) {
  if (!WRITES(flags) || !below(path)) return 0;
  if (abs(fault()) == ENOSPC && (!(flags & O_CREAT) || syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0)) return 0;
  return refused(1, 0);
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return open_refused(path, flags) ? -1 : NEXT(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  return open_refused(path, flags) ? -1 : NEXT(open64)(path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
  MODE(flags)
  return open_refused(path, flags) ? -1 : NEXT(openat)(at, path, flags, mode);
}
ssize_t write(int fd, const void *data, size_t size) {
  return refused(fd_below(fd), 0) ? -1 : NEXT(write)(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  return refused(fd_below(fd), 0) ? -1 : NEXT(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return refused(fd_below(fd), 0) ? -1 : NEXT(pwrite64)(fd, data, size, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  return refused(fd_below(fd), 0) ? -1 : NEXT(writev)(fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  return refused(fd_below(fd), 0) ? -1 : NEXT(pwritev)(fd, parts, count, at);
}
int fsync(int fd) { return refused(fd_below(fd), 1) ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return refused(fd_below(fd), 1) ? -1 : NEXT(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return refused(fd_below(fd), 1) ? -1 : NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return refused(fd_below(fd), 1) ? -1 : NEXT(ftruncate64)(fd, size); }
int posix_fallocate64(int fd, off64_t at, off64_t size) {
  return refused(fd_below(fd), 0) ? errno : NEXT(posix_fallocate64)(fd, at, size);
}
int rename(const char *from, const char *to) { return refused(below(to), 1) ? -1 : NEXT(rename)(from, to); }
int link(const char *from, const char *to) { return refused(below(to), 0) ? -1 : NEXT(link)(from, to); }
int symlink(const char *from, const char *to) { return refused(below(to), 0) ? -1 : NEXT(symlink)(from, to); }
int mkdir(const char *path, mode_t mode) { return refused(below(path), 0) ? -1 : NEXT(mkdir)(path, mode); }
int unlink(const char *path) { return refused(below(path), 1) ? -1 : NEXT(unlink)(path); }
int rmdir(const char *path) { return refused(below(path), 1) ? -1 : NEXT(rmdir)(path); }
ssize_t read(int fd, void *data, size_t size) { return unread(fd) ? -1 : NEXT(read)(fd, data, size); }
ssize_t pread(int fd, void *data, size_t size, off_t at) { return unread(fd) ? -1 : NEXT(pread)(fd, data, size, at); }
ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
  return unread(fd) ? -1 : NEXT(pread64)(fd, data, size, at);
}
