#include "evaluator/counters/build_time.h"

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/file_text.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/artifact_tree.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr const char* kName = "build_time";

}  // namespace

void keep_build_time(const std::string& artifact_folder, const std::string& hash, double seconds) {
  const auto file = kept_path(artifact_folder, kFigures + hash);
  if (std::filesystem::exists(file)) return;
  base::write_whole_file(file.string(),
                         std::string(kName) + " " + search::to_json(search::Value(seconds)) + "\n");
}

double build_time(const std::string& artifact_folder, const std::string& hash) {
  const auto file = artifact_path(artifact_folder, kFigures + hash);
  std::istringstream stream(base::text_if_there(file.string()));
  std::string name;
  double seconds = 0;
  while (stream >> name >> seconds) {
    if (name == kName) return seconds;
  }
  throw std::runtime_error("'build_time' of this build is not known: there is no " + file.string() +
                           " that says it; a new study builds anew");
}

}  // namespace nightshift::evaluator
