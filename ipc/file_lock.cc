#include "ipc/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

#include "ipc/system_call.h"

namespace nightshift::ipc {
namespace {

constexpr std::chrono::milliseconds kBetweenAttempts{20};

std::string text_of(int file) {
  std::string text(FileLock::kTextBytes, '\0');
  const ssize_t size =
      retry_interrupted([&] { return ::pread(file, text.data(), text.size(), 0); });
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

bool put(int file, const std::string& text) {
  return ::ftruncate(file, 0) == 0 &&
         ::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

int try_lock(int file) {
  return retry_interrupted([&] { return ::flock(file, LOCK_EX | LOCK_NB); });
}

// A name of another user's file, by a hard link, would have us write into it.
bool is_plain(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return false;
  errno = EPERM;
  return S_ISREG(status.st_mode) && status.st_nlink == 1;
}

// Opened before it is made: where /tmp is sticky the kernel refuses O_CREAT for files of others
// (fs.protected_regular). Who may not write it can lock it all the same.
UniqueFd open_shared(const std::string& path) {
  constexpr int kHow = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;  // a FIFO would keep us waiting
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    UniqueFd file(::open(path.c_str(), O_RDWR | kHow));
    if (!file && errno == EACCES) file = UniqueFd(::open(path.c_str(), O_RDONLY | kHow));
    if (file) return is_plain(file.get()) ? std::move(file) : UniqueFd();
    if (errno != ENOENT) return {};
    file = UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | kHow, 0600));
    if (file && ::fchmod(file.get(), 0666) == 0) return file;
    if (errno != EEXIST) return {};
  }
  return {};
}

}  // namespace

std::variant<FileLock, FileLock::Refused> FileLock::take(const std::string& path,
                                                         const Options& options) {
  UniqueFd file =
      options.shared
          ? open_shared(path)
          : UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, options.mode));
  if (!file) return Refused{Obstacle::kCannotOpen, errno, {}};
  const auto deadline = std::chrono::steady_clock::now() + options.patience;
  while (try_lock(file.get()) != 0) {
    if (errno != EWOULDBLOCK) return Refused{Obstacle::kCannotLock, errno, {}};
    if (std::chrono::steady_clock::now() >= deadline) {
      return Refused{Obstacle::kHeld, 0, text_of(file.get())};
    }
    std::this_thread::sleep_for(kBetweenAttempts);
  }
  // A file without a text still locks: a full disk is no reason to refuse.
  if (!options.text.empty()) (void)put(file.get(), options.text);
  return FileLock(std::move(file));
}

bool FileLock::is_left_over(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  return file && ::fstat(file.get(), &status) == 0 && status.st_size > 0 &&
         try_lock(file.get()) == 0;
}

std::optional<std::string> FileLock::holder(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  // Shared, so that two who look do not take each other for a holder.
  const auto look = [&] { return ::flock(file.get(), LOCK_SH | LOCK_NB); };
  if (!file || retry_interrupted(look) == 0 || errno != EWOULDBLOCK) return std::nullopt;
  return text_of(file.get());
}

std::string FileLock::text() const { return text_of(file_.get()); }

bool FileLock::write(const std::string& text) {
  return put(file_.get(), text) && ::fdatasync(file_.get()) == 0;
}

std::string this_process() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return std::to_string(::getpid()) + " on " + host.data();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace nightshift::ipc
