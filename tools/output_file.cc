#include "tools/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/file_text.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UsageError(path + " cannot be written: " + why);
}

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw OutputError(path + " could not be written: " + why);
}

std::string written(const std::string& path, const std::string& bytes) {
  try {
    base::write_file(path, bytes);
    return "";
  } catch (const std::system_error& error) {
    return error.code().message();
  }
}

// Links are followed: the file that they name is the one to replace.
std::string resolved_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real.string();
}

// No regular file, or a writable one in a folder that takes no new files.
bool is_written_in_place(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return false;
  if (!fs::is_regular_file(path, error)) return true;
  return access(folder_of(path).c_str(), W_OK) != 0 && access(path.c_str(), W_OK) == 0;
}

std::set<std::string>& unwritten() {
  static std::set<std::string> paths;
  return paths;
}

void tell(const std::string& path, const std::string& words) {
  if (!unwritten().insert(path).second) return;
  std::fputs(block("nightshift: " + words, 0).c_str(), stderr);
}

}  // namespace

void check_output(const std::string& path) {
  if (path.empty()) throw UsageError("the name of the file to write is empty");
  std::error_code error;
  if (fs::is_directory(path, error)) refuse(path, "it is a folder; name a file in it");
  const std::string folder = folder_of(path);
  if (!fs::is_directory(folder, error)) refuse(path, "there is no folder " + folder);
  if (!is_written_in_place(path) && access(folder.c_str(), W_OK) != 0) {
    refuse(path, "the folder " + folder + " is not writable: " + std::strerror(errno));
  }
}

void write_output(const std::string& path, const std::string& bytes) {
  check_output(path);
  const std::string target = resolved_path(path);
  if (is_written_in_place(target)) {
    const std::string why = written(target, bytes);
    if (!why.empty()) fail(path, why);
    return;
  }
  std::error_code error;
  const std::string beside = target + "." + std::to_string(::getpid());
  std::string why = written(beside, bytes);
  if (why.empty()) {
    fs::rename(beside, target, error);
    if (error) why = error.message();
  }
  if (why.empty()) return;
  fs::remove(beside, error);
  fail(path, why);
}

void write_own(const std::string& path, const std::string& bytes) {
  const std::string what = base::not_a_file(path);
  if (!what.empty()) refuse(path, "it " + what + "; remove it, and the same command writes it");
  write_output(path, bytes);
}

void tell_unwritten(const std::string& path, const std::string& why) {
  tell(path, path + " could not be written: " + why);
}

bool any_unwritten() { return !unwritten().empty(); }

bool keep_output(const std::string& path, const std::string& bytes) {
  try {
    write_own(path, bytes);
    return true;
  } catch (const UsageError& error) {
    tell(path, error.what());
  } catch (const OutputError& error) {
    tell(path, error.what());
  }
  return false;
}

}  // namespace nightshift::tools
