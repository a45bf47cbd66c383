#include "tools/serve/program_copy.h"

#include <fmt/format.h>

#include <filesystem>

#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kData = std::uintmax_t{1} << 20;  // bytes, from which a file is linked to

bool is_left_out(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == ".git" || name == "studies" || name == "nights" ||
         scheduler::holds_study(folder.string()) || scheduler::holds_batch(folder.string());
}

class Copy {
 public:
  Copy(const std::string& from, const std::string& to)
      : from_(from), to_(fs::weakly_canonical(to).string() + "/") {}

  void folder(const fs::path& from, const fs::path& to) {
    fs::create_directories(to);
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
      const fs::path place = to / entry.path().filename();
      if (entry.is_symlink()) {
        link(entry.path(), place);
      } else if (entry.is_directory()) {
        if (!is_left_out(entry.path()) && !has_copy(entry.path())) folder(entry.path(), place);
      } else if (entry.is_regular_file()) {
        file(entry, place);
      }
    }
  }

 private:
  // A relative one leads to the same place in the copy.
  static void link(const fs::path& from, const fs::path& place) {
    std::error_code there;
    if (!fs::exists(fs::symlink_status(place, there))) fs::copy_symlink(from, place);
  }

  void file(const fs::directory_entry& entry, const fs::path& place) {
    std::error_code there;
    if (fs::exists(fs::symlink_status(place, there))) return;  // of a copy that was cut off
    if (entry.file_size() > kData) return fs::create_symlink(fs::absolute(entry.path()), place);
    bytes_ += entry.file_size();
    if (bytes_ > kMostCopied) {
      throw UsageError(
          fmt::format("{} has more than {} MiB in files of less than 1 MiB: each "
                      "candidate gets a copy of it, so keep the program in a folder "
                      "of its own",
                      from_, kMostCopied >> 20));
    }
    fs::copy_file(entry.path(), place);
  }

  // The copy itself lies somewhere in it.
  bool has_copy(const fs::path& folder) const {
    return to_.starts_with(fs::weakly_canonical(folder).string() + "/");
  }

  std::string from_, to_;
  std::uintmax_t bytes_ = 0;
};

void put_over(const fs::path& from, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path place = to / entry.path().lexically_relative(from);
    if (entry.is_directory()) {
      if (fs::is_symlink(place)) fs::remove(place);
      fs::create_directories(place);
      continue;
    }
    fs::remove(place);  // never through a link
    fs::copy_file(entry.path(), place);
  }
}

}  // namespace

void copy_program(const std::string& folder, const std::string& sources, const std::string& to) {
  Copy(folder, to).folder(folder, to);
  put_over(sources, to);
}

}  // namespace nightshift::tools
