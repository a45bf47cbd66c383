#include "evaluator/command/artifact_tree.h"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "evaluator/process/content_hash.h"
#include "evaluator/process/file_text.h"

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

// Lengths are part of it, so that no two trees have the same text.
std::string described(std::string_view kind, const std::string& name, std::string_view value) {
  std::string text(kind);
  for (const std::string_view part : {std::string_view(name), value}) {
    text += " " + std::to_string(part.size()) + " ";
    text += part;
  }
  return text + "\n";
}

void make_room(const fs::path& place) {
  const fs::path aside = place.string() + ".old." + std::to_string(::getpid());
  fs::rename(place, aside);
  fs::remove_all(aside);
}

}  // namespace

TreeContent content_of_tree(const fs::path& root) {
  TreeContent content;
  std::string text;
  for (const fs::path& path : entries_of(root)) {
    const std::string name = path == root ? "" : path.lexically_relative(root).string();
    if (fs::is_symlink(path)) {
      text += described("link", name, fs::read_symlink(path).string());
    } else if (fs::is_regular_file(path)) {
      const std::string bytes = read_whole_file(path.string());
      text += described(is_executable(path) ? "program" : "file", name, content_hash(bytes));
      ++content.files;
      content.bytes += bytes.size();
    } else if (fs::is_directory(path)) {
      text += described("folder", name, "");
    } else {
      throw std::runtime_error(path.string() + " is neither file, folder nor symbolic link");
    }
  }
  content.hash = content_hash(text);
  return content;
}

void keep_tree(const fs::path& folder, const TreeContent& content, const fs::path& place) {
  std::error_code error;
  if (fs::is_directory(place, error)) {
    // What a power failure tore, or a program changed, is replaced.
    if (content_of_tree(place).hash == content.hash) {
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

}  // namespace nightshift::evaluator
