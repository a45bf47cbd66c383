#include "scheduler/pool/dead_artifact.h"

#include <variant>

#include "base/content_hash.h"
#include "base/file_text.h"

namespace nightshift::scheduler {

std::string damaged_behind(const search::Problem& problem, const std::string& artifact_folder,
                           const Job& job, const search::TrialOutcome& outcome) {
  const bool died = std::holds_alternative<search::Crashed>(outcome);
  const bool is_host = std::holds_alternative<search::HostBackend>(problem.backend);
  if (!died || !is_host || job.builds()) return "";
  const std::string& artifact = job.evaluation().artifact;
  if (artifact.empty()) return "";
  const std::string bytes = base::text_if_there(artifact_folder + "/" + artifact);
  return base::content_hash(bytes) == artifact ? "" : artifact;
}

}  // namespace nightshift::scheduler
