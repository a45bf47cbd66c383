#include "tools/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

// What std::filesystem::temp_directory_path() takes, which does not name it where it is no folder.
std::string place() {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char* named = std::getenv(variable)) return named;
  }
  return "/tmp";
}

[[noreturn]] void cannot_make(const std::error_code& why) {
  throw OutputError("no folder for what is temporary can be made in '" + place() + "': " +
                    why.message() + "; name one that takes it by TMPDIR, or free some room there");
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code wrong;
  const fs::path parent = fs::temp_directory_path(wrong);
  if (wrong) cannot_make(wrong);
  path_ = (parent / "nightshift-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) cannot_make({errno, std::generic_category()});
  for (const std::string& folder : {artifacts(), scratch()}) {
    if (fs::create_directory(folder, wrong) || !wrong) continue;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    cannot_make(wrong);
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace nightshift::tools
