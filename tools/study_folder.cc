#include "tools/study_folder.h"

#include <cctype>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "scheduler/errors.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

// A problem's name may hold anything; a folder's name had better not.
std::string file_name_of(const std::string& name) {
  std::string safe;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    safe += plain || (c == '.' && !safe.empty()) ? c : '_';
  }
  return safe.empty() ? "study" : safe.substr(0, 100);
}

std::string shown_path(const std::string& path) {
  std::error_code ignored;
  const std::string here = fs::current_path(ignored).string();
  const bool inside = !ignored && path.size() > here.size() + 1 && path.starts_with(here + "/");
  return inside ? path.substr(here.size() + 1) : path;
}

}  // namespace

StudyFolder::StudyFolder(const std::string& path)
    : path_(fs::absolute(path).lexically_normal().string()) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  shown_ = shown_path(path_);
}

StudyFolder StudyFolder::fresh(const std::string& problem_name, double unix_seconds) {
  const std::time_t now = static_cast<std::time_t>(unix_seconds);
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  const std::string first = "studies/" + file_name_of(problem_name) + "-" + stamp;
  std::string name = first;
  try {
    fs::create_directories("studies");
    // Making it is what takes the name: of several that start in one second each gets its own.
    for (int copy = 2; !fs::create_directory(name); ++copy) {
      name = first + "-" + std::to_string(copy);
    }
  } catch (const fs::filesystem_error& e) {
    throw scheduler::JournalError("the study folder " + name + " cannot be made (" +
                                  e.code().message() + "); name another with --study");
  }
  return StudyFolder(name);
}

void StudyFolder::prepare() const {
  for (const std::string& path : {artifacts(), scratch()}) {
    std::error_code error;
    if (fs::symlink_status(path, error).type() == fs::file_type::not_found) continue;
    if (fs::is_directory(path, error)) continue;
    throw scheduler::JournalError(path + " has become something else than a folder: remove it, " +
                                  "and `nightshift resume " + shown_ + "` goes on");
  }
  try {
    fs::create_directories(artifacts());
    fs::create_directories(scratch());
    for (const fs::directory_entry& left : fs::directory_iterator(scratch())) {
      fs::remove_all(left.path());
    }
  } catch (const fs::filesystem_error& e) {
    throw scheduler::JournalError("the study folder " + shown_ + " cannot be written (" +
                                  e.code().message() + "): choose another one");
  }
}

}  // namespace nightshift::tools
