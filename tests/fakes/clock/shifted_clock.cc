// Preloaded into a process (LD_PRELOAD): the time of day is FAKE_CLOCK_SHIFT seconds from the
// machine's, and as many as the file FAKE_CLOCK_FILE has in it at the moment. Clocks that only go
// forward are left as they are.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

time_t seconds_in(const char* text) {
  return text == nullptr ? time_t{0} : static_cast<time_t>(std::atol(text));
}

time_t seconds_in_file(const char* path) {
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32] = {};
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  return length > 0 ? seconds_in(text) : 0;
}

time_t shift() {
  static const time_t always = seconds_in(std::getenv("FAKE_CLOCK_SHIFT"));
  static const char* const file = std::getenv("FAKE_CLOCK_FILE");
  return always + seconds_in_file(file);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t id, timespec* time) noexcept {
  using Function = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(id, time);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) time->tv_sec += shift();
  return result;
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return result;
}

time_t time(time_t* kept) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (kept != nullptr) *kept = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
