#include "tools/table/table_place.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file_text.h"
#include "scheduler/journal/batch_journal.h"
#include "tools/table/formats/table_document.h"
#include "tools/table/table_run.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTableName = "table.json";

// The family whose table stands in a folder of that name: a word of the batch's, of which the name
// has letters and digits alone.
std::string family_of(const std::string& batch, const fs::path& folder) {
  const scheduler::BatchRecord record = scheduler::load_batch(batch);
  std::vector<std::string> words = {""};
  for (const auto& study : record.studies) {
    words.push_back(study.terms.problem);
    words.push_back(study.terms.name);
  }
  // What names begin with.
  constexpr std::string_view kOfFamily = "table-";
  const std::string name = folder.filename().string();
  if (name.starts_with(kOfFamily)) words.push_back(name.substr(kOfFamily.size()));
  for (const std::string& word : words) {
    const fs::path place = fs::path(table_file(batch, word)).parent_path();
    if (place.filename() == folder.filename()) return word;
  }
  throw UsageError(folder.string() + " is no folder of a table of the batch " + batch);
}

}  // namespace

std::optional<TablePlace> table_at(const std::string& word) {
  std::error_code ignored;
  fs::path file = fs::path(word).lexically_normal();
  if (fs::is_directory(file, ignored)) file /= kTableName;
  if (file.filename() != kTableName || !fs::is_regular_file(file, ignored)) return std::nullopt;
  const TableDocument document =
      read_table_document(base::read_whole_file(file.string()), file.string());
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  TablePlace place;
  place.file = file.string();
  if (scheduler::holds_batch(folder.parent_path().string())) {
    place.batch = folder.parent_path().string();
    place.family = family_of(place.batch, folder);
  } else if (scheduler::holds_batch(folder.parent_path().parent_path().string())) {
    place.batch = folder.parent_path().parent_path().string();
    place.family = family_of(place.batch, folder.parent_path());
    place.kind = document.kinds.empty() ? "" : document.kinds.front();
  } else {
    throw UsageError(file.string() +
                     " stands in no batch's folder: a table is asked with the studies that it is "
                     "of, by `nightshift recheck BATCH/table`");
  }
  return place;
}

}  // namespace nightshift::tools
