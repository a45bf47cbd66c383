#include "evaluator/process/damaged_artifact.h"

#include "base/content_hash.h"
#include "base/file_text.h"

namespace nightshift::evaluator {

void expect_content(const std::filesystem::path& artifact) {
  const std::string name = artifact.filename().string();
  std::error_code error;
  if (!std::filesystem::is_regular_file(artifact, error)) {
    throw DamagedArtifact(name, "is gone from " + artifact.parent_path().string());
  }
  if (base::content_hash(base::read_whole_file(artifact.string())) != name) {
    throw DamagedArtifact(name, "has changed in " + artifact.parent_path().string());
  }
}

}  // namespace nightshift::evaluator
