#include <fmt/format.h>

#include <string>

#include "tools/batch/batch_requests.h"
#include "tools/batch/merged_batch.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Joins what the shards of a batch have found, BATCH/shards/1 and on, into the batch: copies of their
studies, their record, and one claim over all studies. `report` and `status` of the batch then tell
all of it. It may be done again once shards have gone on; what has not changed is left.

Examples:
  nightshift merge night                            after `nightshift submit night.toml --array 8`
  nightshift merge night && nightshift report batches/night)";

struct MergeOptions {
  std::string batch;
};

void declare(ArgumentParser& parser, MergeOptions& o) {
  parser.positional("BATCH", o.batch, "Folder of the batch, or its name");
}

ExitCode run(const MergeOptions& options) {
  const std::string folder = batch_folder(options.batch);
  const MergeResult result = merge_shards(folder);
  std::string troubles;
  for (const std::string& trouble : result.troubles) troubles += paragraph(trouble, 2);
  print_page(fmt::format("{} joined: {} studies taken over, {} left as they are\n",
                         count_of(result.shards, "shard"), result.taken, result.left) +
             troubles + "nightshift report " + shell_word(folder) + "\n");
  return result.unread > 0 ? ExitCode::kJournal : ExitCode::kSuccess;
}

}  // namespace

Command merge_command() {
  return make_command<MergeOptions>("merge", "Join the shards of a batch into one batch", kEpilogue,
                                    declare, run);
}

}  // namespace nightshift::tools
