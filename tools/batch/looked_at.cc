#include "tools/batch/looked_at.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>

#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/study_folder.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

double written_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return 0;
  return static_cast<double>(facts.st_mtim.tv_sec) +
         static_cast<double>(facts.st_mtim.tv_nsec) / 1e9;
}

std::optional<LookedAt> looked_at_itself(const std::string& path) {
  const StudyFolder folder(path);
  const bool is_batch = scheduler::holds_batch(folder.path());
  if (!is_batch && !scheduler::holds_study(folder.path())) return std::nullopt;
  const std::string file = is_batch ? folder.path() + "/batch.sqlite" : folder.journal();
  return LookedAt{folder.path(), is_batch, std::max(written_at(file), written_at(file + "-wal"))};
}

}  // namespace

std::vector<LookedAt> looked_at(const std::string& folder) {
  if (auto itself = looked_at_itself(folder)) return {*itself};
  std::vector<LookedAt> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.is_directory(ignored)) continue;
    if (auto one = looked_at_itself(entry.path().string())) found.push_back(*one);
  }
  std::ranges::stable_sort(found, std::greater(), &LookedAt::touched);
  return found;
}

std::vector<LookedAt> looked_at_or_named(const std::string& word) {
  std::vector<LookedAt> found = looked_at(word);
  if (!found.empty() || word.find('/') != std::string::npos) return found;
  const auto batch = looked_at_itself("batches/" + word);
  return batch && batch->is_batch ? std::vector{*batch} : found;
}

}  // namespace nightshift::tools
