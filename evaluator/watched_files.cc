#include "evaluator/watched_files.h"

#include <sys/stat.h>

#include <exception>
#include <set>
#include <system_error>
#include <utility>

#include "base/content_hash.h"
#include "base/file_text.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLarge = std::uintmax_t{1} << 20;
constexpr std::uintmax_t kMostHashed = std::uintmax_t{256} << 20;
// What a build or a program writes anew so often, with the content that it had, it writes always.
constexpr int kRewrites = 3;

// A batch begins many studies, and its devices wait meanwhile: compilers are large.
std::string hash_of_large(const fs::path& path) {
  struct stat now {};
  if (::stat(path.c_str(), &now) != 0) return base::content_hash(base::read_whole_file(path));
  const auto ticks = [](const timespec& t) { return std::pair(t.tv_sec, t.tv_nsec); };
  const std::tuple state(path.string(), now.st_dev, now.st_ino, now.st_size, ticks(now.st_mtim),
                         ticks(now.st_ctim));
  static std::map<decltype(state), std::string> known;
  const auto found = known.find(state);
  if (found != known.end()) return found->second;
  return known.emplace(state, base::content_hash(base::read_whole_file(path))).first->second;
}

bool is_file_at(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

std::string content_value(const fs::path& file) {
  const std::uintmax_t size = fs::file_size(file);
  if (size < kLarge) return base::content_hash(base::read_whole_file(file.string()));
  if (size <= kMostHashed) return hash_of_large(file);
  const auto changed = fs::last_write_time(file).time_since_epoch().count();
  return std::to_string(size) + " bytes of " + std::to_string(changed);
}

WatchedFiles::WatchedFiles(const std::vector<std::string>& paths) {
  std::error_code error;
  for (const std::string& path : std::set<std::string>(paths.begin(), paths.end())) {
    if (is_file_at(path)) {
      add(path);
    } else if (!fs::is_directory(path, error)) {
      absent_.push_back(path);
    } else {
      for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
           at.increment(error)) {
        if (is_file_at(at->path())) add(at->path());
      }
    }
  }
  anchor();
}

// The stamp comes before the content: what is written between the two is seen by the next look.
void WatchedFiles::add(const fs::path& file) {
  File added{file.string(), "", stamp_of(file)};
  const std::optional<std::string> value = value_of(added.path);
  if (!value) return;
  added.value = *value;
  files_.push_back(std::move(added));
}

WatchedFiles::Stamp WatchedFiles::stamp_of(const fs::path& path) {
  struct stat now {};
  if (::stat(path.c_str(), &now) != 0) return std::nullopt;
  return std::tuple(std::uint64_t{now.st_dev}, std::uint64_t{now.st_ino}, std::int64_t{now.st_size},
                    Ticks(now.st_mtim.tv_sec, now.st_mtim.tv_nsec),
                    Ticks(now.st_ctim.tv_sec, now.st_ctim.tv_nsec));
}

std::optional<std::string> WatchedFiles::value_of(const std::string& path) {
  try {
    return content_value(path);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool WatchedFiles::is_disturbed(File& file) {
  const Stamp now = stamp_of(file.path);
  const bool was_unread = file.standing == Standing::kGone && now;  // it may be readable by now
  if (now == file.stamp && !was_unread) return false;
  file.stamp = now;
  const std::optional<std::string> value = now ? value_of(file.path) : std::nullopt;
  const Standing before = std::exchange(file.standing, !value                 ? Standing::kGone
                                                       : *value == file.value ? Standing::kAsBegun
                                                                              : Standing::kChanged);
  const bool stays = before == Standing::kAsBegun && file.standing == Standing::kAsBegun;
  return !stays || ++file.rewrites <= kRewrites;
}

WatchedFiles::Look WatchedFiles::look() {
  Look look;
  for (File& file : files_) {
    if (is_disturbed(file)) look.disturbed = true;
    if (file.standing == Standing::kGone && look.gone.empty()) look.gone = file.path;
    if (file.standing == Standing::kChanged && look.changed.empty()) look.changed = file.path;
  }
  look_for_new(look);
  return look;
}

// Of sources with many includes and folders there are thousands of paths at which nothing is, and few
// folders in which they would be.
void WatchedFiles::look_for_new(Look& look) {
  bool any = !come_.empty();
  for (const auto& [folder, stamp] : folders_) any = any || stamp_of(folder) != stamp;
  if (!any) return;
  anchor();
  std::vector<std::string> come;
  for (const std::string& path : absent_) {
    if (is_file_at(path)) come.push_back(path);
  }
  if (come != come_) look.disturbed = true;
  come_ = std::move(come);
  if (!come_.empty() && look.changed.empty()) look.changed = come_.front();
}

void WatchedFiles::anchor() {
  folders_.clear();
  std::error_code ignored;
  for (const std::string& path : absent_) {
    fs::path folder = fs::path(path).parent_path();
    while (!folder.empty() && folder != folder.root_path() && !fs::is_directory(folder, ignored)) {
      folder = folder.parent_path();
    }
    const auto [known, is_new] = folders_.try_emplace(folder.string());
    if (is_new) known->second = stamp_of(folder);
  }
}

}  // namespace nightshift::evaluator
