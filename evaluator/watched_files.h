#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace nightshift::evaluator {

// What a file's content is called: its hash; of one above 256 MiB its size and time. That of a
// large one is computed once in this process while the file is as it was. Throws
// std::runtime_error, std::system_error where it cannot be read.
std::string content_value(const std::filesystem::path& file);

// Files beside what they were when the watch began. A look takes a stat(2) of each; content is read
// where size, times or inode differ.
class WatchedFiles {
 public:
  // A folder stands for the files that are in it now. Where there is nothing at a path, nothing is to
  // come there.
  explicit WatchedFiles(const std::vector<std::string>& paths);

  struct Look {
    std::string gone;     // the first file that is not there, or cannot be read; empty: none
    std::string changed;  // the first that has another content, or was not there; empty: none
    // Since the look before, one was gone, another, moved or written anew, whatever it is now.
    bool disturbed = false;
  };
  Look look();

 private:
  enum class Standing : std::uint8_t { kAsBegun, kGone, kChanged };
  using Ticks = std::pair<std::int64_t, std::int64_t>;
  // Device, inode, size, and when content and entry were written; nullopt: nothing is there.
  using Stamp = std::optional<std::tuple<std::uint64_t, std::uint64_t, std::int64_t, Ticks, Ticks>>;
  struct File {
    std::string path, value;
    Stamp stamp;
    Standing standing = Standing::kAsBegun;
    int rewrites = 0;  // with the content that it had
  };
  static Stamp stamp_of(const std::filesystem::path& path);
  static std::optional<std::string> value_of(const std::string& path);
  static bool is_disturbed(File& file);
  void add(const std::filesystem::path& file);
  void anchor();
  void look_for_new(Look& look);

  std::vector<File> files_;
  std::vector<std::string> absent_;  // nothing was there
  std::vector<std::string> come_;    // of these, what is there now
  // The folders in which they would be made, the deepest that are there.
  std::map<std::string, Stamp> folders_;
};

}  // namespace nightshift::evaluator
