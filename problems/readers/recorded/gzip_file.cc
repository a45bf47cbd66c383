#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "problems/recorded_space.h"

namespace nightshift::problems {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // what a small file may inflate to

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

// A file may be a gigabyte. What a small one inflates to is one byte repeated, and no recording.
constexpr std::size_t kSmallEnough = std::size_t{64} << 20;
constexpr std::uintmax_t kMostTimes = 200;

// FIFOs and devices never end, or make whoever opens them wait.
std::uintmax_t size_of(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw RecordedSpaceError(
        path + ": cannot be opened: " + (error ? error.message() : std::strerror(ENOENT)));
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw RecordedSpaceError(path + ": is no regular file; write what it gives into one");
  }
  return std::filesystem::file_size(path, error);
}

// nullptr where it cannot be opened. Files of /proc that wait for what is still to come say so
// instead.
gzFile opened(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  const gzFile file = gzdopen(descriptor, "rb");
  if (file == nullptr) close(descriptor);
  return file;
}

}  // namespace

// zlib passes the bytes of a file without gzip's magic on as they are.
std::string read_maybe_gzip(const std::string& path) {
  const std::uintmax_t compressed = size_of(path);
  errno = 0;
  const std::unique_ptr<gzFile_s, CloseGzip> file(opened(path));
  if (!file) throw RecordedSpaceError(path + ": cannot be opened: " + std::strerror(errno));
  gzbuffer(file.get(), 1 << 17);
  std::string bytes;
  std::size_t size = 0;
  for (;;) {
    bytes.resize(size + (std::size_t{1} << 20));
    const int got = gzread(file.get(), bytes.data() + size, 1 << 20);
    int error = Z_OK;
    const char* words = gzerror(file.get(), &error);
    if (got < 0 || (got == 0 && error != Z_OK)) {  // Z_BUF_ERROR at the end: it is cut off
      throw RecordedSpaceError(
          path + ": cannot be read: " + (error == Z_ERRNO ? std::strerror(errno) : words));
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > kMostBytes) throw RecordedSpaceError(path + ": holds more than 1 GiB");
    if (size > kSmallEnough && size / kMostTimes > compressed) {
      throw RecordedSpaceError(path + ": inflates to more than " + std::to_string(kMostTimes) +
                               " times its size, which no recording does");
    }
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace nightshift::problems
