#include "tools/study/study_sources.h"

#include <algorithm>
#include <string>
#include <utility>

#include "evaluator/files_behind.h"
#include "evaluator/watched_files.h"
#include "scheduler/journal/sqlite_journal.h"

namespace nightshift::tools {
namespace {

using Standing = scheduler::SourceLook::Standing;

class StudySources final : public scheduler::SourceFiles {
 public:
  StudySources(const search::Problem& problem, const search::Identity& begun)
      : files_(evaluator::paths_behind(problem)),
        changed_before_(changed_part(begun, evaluator::files_behind(problem))) {}

  scheduler::SourceLook look() override {
    evaluator::WatchedFiles::Look now = files_.look();
    if (!now.gone.empty()) return {Standing::kGone, std::move(now.gone), now.disturbed};
    if (!now.changed.empty()) return {Standing::kChanged, std::move(now.changed), now.disturbed};
    if (!changed_before_.empty()) return {Standing::kChanged, changed_before_, now.disturbed};
    return {Standing::kAsBegun, "", now.disturbed};
  }

 private:
  // A file goes before the source that includes it. What only one of them has is no change.
  static std::string changed_part(const search::Identity& begun, const search::Identity& now) {
    std::string name;
    for (const search::IdentityPart& part : now) {
      const auto before = std::ranges::find_if(begun, [&](const search::IdentityPart& other) {
        return other.kind == part.kind && other.name == part.name;
      });
      if (before == begun.end() || before->value == part.value) continue;
      if (part.kind != search::IdentityPart::Kind::kSource) return part.name;
      name = part.name;
    }
    return name;
  }

  evaluator::WatchedFiles files_;
  std::string changed_before_;  // the watch began
};

}  // namespace

std::unique_ptr<scheduler::SourceFiles> study_sources(const StudyFolder& folder,
                                                      const search::Problem& problem,
                                                      bool on_nodes) {
  if (on_nodes || search::is_recorded(problem)) return nullptr;
  const auto history = scheduler::load_history(folder.path(), scheduler::Detail::kHead);
  return std::make_unique<StudySources>(problem, scheduler::identity_of(history));
}

}  // namespace nightshift::tools
