#include "scheduler/journal/study_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "scheduler/errors.h"

namespace nightshift::scheduler {

namespace {

// "4711 on node7", or empty.
std::string owner_of(int fd) {
  std::array<char, 256> text{};
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  std::string owner(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return owner.substr(0, owner.find('\n'));
}

void sign(int fd) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("{} on {}\n", getpid(), host.data());
  // For messages only: a lock file without a name in it still locks.
  if (ftruncate(fd, 0) == 0) [[maybe_unused]]
    const ssize_t written = pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

std::string journal_file(const std::string& folder) {
  return (std::filesystem::path(folder) / "journal.sqlite").string();
}

StudyLock::StudyLock(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "journal.lock").string();
  file_.reset(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file_) {
    throw JournalError(fmt::format(
        "{} cannot be written ({}): check that the folder exists, that you may write there, that "
        "its file system is not read-only and that there is space",
        path, std::strerror(errno)));
  }
  if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {
    sign(file_.get());
    return;
  }
  if (errno != EWOULDBLOCK) {
    throw JournalError(fmt::format("{} cannot be locked ({}): put the study on a local file system",
                                   path, std::strerror(errno)));
  }
  const std::string owner = owner_of(file_.get());
  throw JournalError(fmt::format(
      "another run is writing the study in {}{}: wait until it ends, stop it, or choose another "
      "folder with --study",
      folder, owner.empty() ? "" : fmt::format(" (process {})", owner)));
}

}  // namespace nightshift::scheduler
