#include "tools/problem/python_here.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string interpreter() {
  const char* named = std::getenv("NIGHTSHIFT_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

// The folder above the module; empty where it is not beside this program, and Python's own is
// meant.
std::string module_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  std::error_code error;
  const fs::path installed = program.parent_path().parent_path() / "share/nightshift/python";
  if (fs::exists(installed / "nightshift", error)) return installed.string();
  for (fs::path at = program.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / "python/nightshift/__main__.py", error)) return (at / "python").string();
  }
  return {};
}

std::string with_ours_first(const std::string& folder) {
  const char* set = std::getenv("PYTHONPATH");
  return set == nullptr || *set == '\0' ? folder : folder + ":" + set;
}

}  // namespace

PythonHere python_here() {
  const std::string folder = module_folder();
  return {interpreter(), folder.empty() ? "" : with_ours_first(folder), folder};
}

}  // namespace nightshift::tools
