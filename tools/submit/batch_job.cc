#include "tools/submit/batch_job.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "scheduler/journal/batch_journal.h"
#include "tools/batch/batch_requests.h"
#include "tools/slurm/shard_division.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

// Of a study whose budget names neither time nor configurations.
constexpr double kUnknownSeconds = 600;

scheduler::BatchRecord record_of(const std::string& folder) {
  return scheduler::holds_batch(folder) ? scheduler::load_batch(folder) : scheduler::BatchRecord{};
}

double expected_seconds(const BatchMember& member) {
  if (!member.problem.problem) return 0;
  const search::Budget& budget = member.problem.problem->budget;
  if (budget.seconds > 0) return budget.seconds;
  return budget.trials > 0 ? static_cast<double>(budget.trials) : kUnknownSeconds;
}

void make_record(const std::string& folder, const std::string& name,
                 const std::vector<BatchMember>& members) {
  scheduler::BatchJournal journal(folder, name);
  journal.studies(terms_of(members));
  journal.commit();
}

bool has_open_requests(const std::string& folder, const std::string& name) {
  return scheduler::holds_batch(folder) && !scheduler::is_running(folder) &&
         !scheduler::BatchJournal(folder, name).requests().empty();
}

std::vector<std::string> absolute_paths(const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    paths.push_back(fs::absolute(file).lexically_normal().string());
  }
  return paths;
}

}  // namespace

BatchJob::BatchJob(const BatchJobOptions& options) {
  AskedBatch asked = asked_batch(options.files, options.folder);
  script_.batch = asked.name;
  script_.folder = fs::absolute(asked.folder).lexically_normal().string();
  script_.directory = fs::current_path().string();
  script_.program = fs::read_symlink("/proc/self/exe").string();
  script_.run = absolute_paths(options.files);
  script_.nodes = options.nodes;
  script_.fits = options.fits;
  script_.reserve = options.reserve;
  script_.flags = options.flags;
  script_.setup = options.setup;
  members_ = members_of(asked.studies, script_.folder, record_of(script_.folder));
  std::size_t shards = options.shards;
  while (scheduler::holds_batch(shard_folder(script_.folder, shards + 1))) ++shards;
  if (shards > 0 && !script_.nodes.empty()) {
    throw UsageError(script_.folder +
                     " was divided into shards, and goes on as --array; `nightshift merge` it and "
                     "remove its folder shards, and it goes on with --nodes");
  }
  if (shards > 0) {
    divide_into(shards, members_);
  } else {
    for (BatchMember& member : members_) read(member);
    done_ = !take_stock(members_, script_.folder);
  }
}

void BatchJob::divide_into(std::size_t shards, std::vector<BatchMember> members) {
  std::map<std::string, std::size_t> earlier;
  for (std::size_t k = 0; k < shards; ++k) {
    for (const auto& study : record_of(shard_folder(folder(), k + 1)).studies) {
      earlier.emplace(study.terms.name, k);
    }
  }
  std::map<std::string, std::size_t> positions;
  for (std::size_t m = 0; m < members.size(); ++m) positions[members[m].name()] = m;
  std::vector<ShardedStudy> studies;
  for (BatchMember& member : members) {
    read(member);
    ShardedStudy study{expected_seconds(member), {}, std::nullopt};
    for (const std::string& name : member.terms.after) {
      if (const auto other = positions.find(name); other != positions.end()) {
        study.after.push_back(other->second);
      }
    }
    if (const auto at = earlier.find(member.name()); at != earlier.end()) study.shard = at->second;
    studies.push_back(std::move(study));
  }
  const std::vector<std::size_t> places = divide(studies, shards);
  for (std::size_t k = 0; k < shards; ++k) {
    const std::string where = shard_folder(folder(), k + 1);
    std::vector<scheduler::BatchStudyTerms> its;
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (places[m] == k) its.push_back(members[m].terms);
    }
    if (its.empty()) continue;
    Shard shard{k + 1, members_of(its, where, record_of(where)), false};
    for (BatchMember& member : shard.members) read(member);
    shard.is_due = take_stock(shard.members, where);
    if (shard.is_due) script_.shards.push_back(shard.number);
    done_ = done_ && !shard.is_due;
    shards_.push_back(std::move(shard));
  }
}

// True where something is left.
bool BatchJob::take_stock(const std::vector<BatchMember>& members, const std::string& folder) {
  for (const BatchMember& member : members) {
    if (!member.error.empty()) errors_.push_back(member.name() + ": " + one_line(member.error));
  }
  return std::ranges::any_of(members, &BatchMember::is_due) || has_open_requests(folder, name());
}

std::vector<std::string> BatchJob::flags() const {
  if (!is_array()) return {};
  return {"--array=" + array_text(script_.shards)};
}

void BatchJob::prepare() const {
  if (!is_array()) return make_record(folder(), name(), members_);
  for (const BatchMember& member : members_) {
    if (member.name() != "shards") continue;
    throw UsageError("a study called shards has no place beside the shards of an array: name it " +
                     std::string("otherwise in the batch file"));
  }
  make_record(folder(), name(), members_);
  for (const Shard& shard : shards_) {
    make_record(shard_folder(folder(), shard.number), name() + "-" + std::to_string(shard.number),
                shard.members);
  }
}

}  // namespace nightshift::tools
