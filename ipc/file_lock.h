#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "ipc/unique_fd.h"

namespace nightshift::ipc {

// The exclusive lock of a file, released when its holder is destroyed or its process ends, however
// that ends. What the file says is for people, and for whoever comes after a holder that was
// killed; the lock itself does not rest on it.
//
// flock(2). The file is never removed: a third process could then lock a new file of that name
// beside the second one's. Not boost::interprocess::file_lock, whose fcntl lock belongs to the
// process: a second opening in the same process succeeds, and closing any descriptor of the file
// drops it.
class FileLock {
 public:
  struct Options {
    // Written into the file once it is locked; empty = what it says stays.
    std::string text = {};
    mode_t mode = 0600;                     // of a file that is made
    std::chrono::milliseconds patience{0};  // for which another holder is waited for
    // Stands in a folder that all users write, such as /tmp: every user may lock it and write into
    // it (`mode` does not count). What somebody put there in its place, a link or no regular file,
    // is refused as what cannot be opened.
    bool shared = false;
  };
  enum class Obstacle : std::uint8_t { kCannotOpen, kCannotLock, kHeld };
  struct Refused {
    Obstacle obstacle = Obstacle::kHeld;
    int error = 0;     // errno of the first two
    std::string text;  // what the holder's file says, at most kTextBytes
  };
  static constexpr std::size_t kTextBytes = 4096;
  // As patience: outlasts whoever only looks, see holder().
  static constexpr std::chrono::milliseconds kLookPatience{100};

  // Opens the file of that path, which is made where it is missing and must not be a symbolic link.
  static std::variant<FileLock, Refused> take(const std::string& path, const Options& options);
  // Whether a file is there that nobody holds and that says something.
  static bool is_left_over(const std::string& path);

  // What the file says where somebody holds it now; nullopt: nobody does, or there is no such file.
  static std::optional<std::string> holder(const std::string& path);

  std::string text() const;
  // On disk when this returns true.
  bool write(const std::string& text);

 private:
  explicit FileLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// "4711 on node7": what a lock's text says of its holder.
std::string this_process();
// Up to the end of the first line.
std::string first_line(const std::string& text);

}  // namespace nightshift::ipc
