#include "evaluator/process/artifact_tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/process/damaged_artifact.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& root) {
  std::vector<fs::path> paths;
  if (!fs::is_directory(root)) return {root};
  for (const auto& entry : fs::recursive_directory_iterator(root)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_executable(const fs::path& file) {
  return (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

std::string list_path(const fs::path& place) {
  return (place.parent_path() / ("files-" + place.filename().string())).string();
}

// Lengths are part of it, so that no two trees have the same text.
std::string described(std::string_view kind, const std::string& name, std::string_view value) {
  std::string text(kind);
  for (const std::string_view part : {std::string_view(name), value}) {
    text += " " + std::to_string(part.size()) + " ";
    text += part;
  }
  return text + "\n";
}

// The entries of a list, one by one.
std::set<std::string> entries_in(std::string_view list) {
  std::set<std::string> entries;
  while (!list.empty()) {
    std::size_t at = list.find(' ');
    for (int part = 0; part < 2 && at < list.size(); ++part) {
      std::size_t length = 0;
      const char* const end = list.data() + list.size();
      const auto [stop, error] = std::from_chars(list.data() + at + 1, end, length);
      if (error != std::errc{}) return entries;
      at = static_cast<std::size_t>(stop - list.data()) + 1 + length;
    }
    at = std::min(at, list.size() - 1) + 1;
    entries.emplace(list.substr(0, at));
    list.remove_prefix(at);
  }
  return entries;
}

// Sizes and times of all that is there; empty where it cannot be looked at.
std::string stamp_of(const fs::path& root) {
  std::string stamp;
  std::error_code error;
  if (!fs::is_directory(root, error)) return stamp;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
       at.increment(error)) {
    struct stat file {};
    if (::lstat(at->path().c_str(), &file) != 0) return {};
    stamp += at->path().string() + " " + std::to_string(file.st_ino) + " " +
             std::to_string(file.st_size) + " " + std::to_string(file.st_ctim.tv_sec) + "." +
             std::to_string(file.st_ctim.tv_nsec) + "\n";
  }
  return error ? "" : stamp;
}

// Another builder of the same may be about it, and leave nothing to do.
void make_room(const fs::path& place) {
  const fs::path aside = place.string() + ".old." + std::to_string(::getpid());
  std::error_code error;
  fs::rename(place, aside, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    throw std::system_error(error, "cannot put aside " + place.string());
  }
  fs::remove_all(aside);
}

}  // namespace

namespace {

// What is neither file, folder nor link: an error of a build, and a program's own affair later.
enum class Others : std::uint8_t { kRefused, kLeftOut };

TreeContent content_of(const fs::path& root, Others others) {
  TreeContent content;
  for (const fs::path& path : entries_of(root)) {
    const std::string name = path == root ? "" : path.lexically_relative(root).string();
    if (fs::is_symlink(path)) {
      content.list += described("link", name, fs::read_symlink(path).string());
    } else if (fs::is_regular_file(path)) {
      const std::string bytes = base::read_whole_file(path.string());
      content.list +=
          described(is_executable(path) ? "program" : "file", name, base::content_hash(bytes));
      ++content.files;
      content.bytes += bytes.size();
    } else if (fs::is_directory(path)) {
      content.list += described("folder", name, "");
    } else if (others == Others::kRefused) {
      throw std::runtime_error(path.string() + " is neither file, folder nor symbolic link");
    }
  }
  content.hash = base::content_hash(content.list);
  return content;
}

// Not what cannot be read, or goes while it is read.
bool holds(const fs::path& place, const std::string& hash) {
  try {
    return content_of(place, Others::kLeftOut).hash == hash;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

TreeContent content_of_tree(const fs::path& root) { return content_of(root, Others::kRefused); }

void keep_tree(const fs::path& folder, const TreeContent& content, const fs::path& place) {
  std::error_code error;
  base::write_whole_file(list_path(place), content.list);
  if (fs::is_directory(place, error)) {
    // What a power failure tore, or a program changed, is replaced.
    if (holds(place, content.hash)) {
      fs::remove_all(folder);
      return;
    }
    make_room(place);
  }
  fs::rename(folder, place, error);
  if (error == std::errc::cross_device_link) {
    const fs::path beside = place.string() + ".new." + std::to_string(::getpid());
    fs::copy(folder, beside, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::rename(beside, place, error);
    fs::remove_all(folder);
  }
  // Another builder was faster with the same.
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
    fs::remove_all(folder);
    return;
  }
  if (error) throw std::system_error(error, "cannot keep the artifact " + place.string());
}

void copy_artifact(const fs::path& artifact, const fs::path& folder) {
  const fs::path name = artifact.filename();
  if (fs::exists(fs::symlink_status(folder / name))) return;
  const std::string figures = kFigures + name.string();
  if (fs::exists(artifact.parent_path() / figures)) {
    fs::copy(artifact.parent_path() / figures, folder / figures,
             fs::copy_options::overwrite_existing);
  }
  if (!fs::is_directory(artifact)) {
    fs::copy(artifact, folder / name);
    return;
  }
  const fs::path copy = folder / (name.string() + ".new." + std::to_string(::getpid()));
  fs::copy(fs::canonical(artifact), copy,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const TreeContent content = content_of_tree(copy);
  keep_tree(copy, content, folder / content.hash);
  if (name != content.hash) fs::create_directory_symlink(content.hash, folder / name);
}

bool is_whole(const fs::path& place) {
  std::error_code error;
  if (!fs::is_directory(place, error)) return false;
  try {
    const TreeContent now = content_of(place, Others::kLeftOut);
    const bool is_as_built = now.hash == place.filename().string();
    if (!fs::is_regular_file(list_path(place), error)) {
      // Its list is made again before the program adds files of its own.
      if (is_as_built) base::write_whole_file(list_path(place), now.list);
      return is_as_built;
    }
    if (is_as_built) return true;
    const std::string list = base::read_whole_file(list_path(place));
    if (base::content_hash(list) != place.filename().string()) return false;  // the list as well
    const std::set<std::string> there = entries_in(now.list);
    return std::ranges::all_of(entries_in(list),
                               [&](const std::string& entry) { return there.contains(entry); });
  } catch (const std::exception&) {
    return false;  // what cannot be read
  }
}

void TreeWatch::expect_whole(const fs::path& artifact) {
  const std::string name = artifact.filename().string();
  std::error_code error;
  const fs::path place = fs::is_symlink(artifact, error)
                             ? artifact.parent_path() / fs::read_symlink(artifact, error)
                             : artifact;
  const std::string stamp = stamp_of(place);
  std::string& seen = seen_[place.string()];
  if (!stamp.empty() && stamp == seen) return;
  if (!is_whole(place)) {
    const bool is_there = fs::exists(place, error);
    const std::string folder = artifact.parent_path().string();
    throw DamagedArtifact(name, (is_there ? "has changed in " : "is gone from ") + folder);
  }
  seen = stamp;
}

}  // namespace nightshift::evaluator
