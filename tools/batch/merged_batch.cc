#include "tools/batch/merged_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/batch_time.h"
#include "tools/batch/batch_facts.h"
#include "tools/slurm/job_script.h"
#include "tools/study_folder.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using scheduler::BatchJournal;
using scheduler::BatchRecord;
using scheduler::BatchStudyRecord;
using scheduler::BatchStudyState;
using scheduler::LeaseKind;

struct Shard {
  std::string folder;
  BatchRecord record;
};

std::vector<Shard> shards_of(const std::string& batch_folder) {
  std::vector<Shard> shards;
  for (std::size_t number = 1;; ++number) {
    const std::string folder = shard_folder(batch_folder, number);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) break;
    shards.push_back({folder, scheduler::load_batch(folder)});
    if (!shards.back().record.writer) continue;
    throw scheduler::JournalError(
        fmt::format("{} is being run by process {}: merge once that has ended, or stop it with "
                    "`nightshift cancel`",
                    folder, *shards.back().record.writer));
  }
  if (!shards.empty()) return shards;
  throw UsageError(batch_folder + " has no shards: `nightshift submit --array N` divides a batch");
}

// --- Folders of studies ---

// Of all its runs; below zero where there is none.
double seconds_run(const std::string& study_folder) {
  if (!scheduler::holds_study(study_folder)) return -1;
  return scheduler::load_history(study_folder, scheduler::Detail::kHead).run_seconds;
}

// Why the study of a shard cannot be taken; empty where it can, or there is none.
std::string why_not_taken(const std::string& study_folder, const BatchStudyRecord& study) {
  try {
    (void)seconds_run(study_folder);
  } catch (const scheduler::JournalError& error) {
    return error.what();
  }
  return why_gone(StudyFolder(study_folder), study);
}

// Files named by what is in them: a second name for each, or a copy where there can be none.
void link_all(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const auto recursive = fs::copy_options::recursive | fs::copy_options::skip_existing;
  fs::copy(from, to, recursive | fs::copy_options::create_hard_links, error);
  if (error) fs::copy(from, to, recursive);
}

void copy_rest(const StudyFolder& from, const StudyFolder& to) {
  if (fs::exists(from.artifacts())) link_all(from.artifacts(), to.artifacts());
  if (fs::exists(from.path() + "/earlier")) {
    fs::copy(from.path() + "/earlier", to.path() + "/earlier", fs::copy_options::recursive);
  }
  for (const auto& [file, copy] :
       {std::pair(from.report(), to.report()), std::pair(from.page(), to.page())}) {
    if (fs::exists(file)) fs::copy_file(file, copy);
  }
}

// Beside the one that is there until all is copied. True where it was taken.
bool take_study(const std::string& from, const std::string& to) {
  if (seconds_run(from) <= seconds_run(to)) return false;
  const std::string incoming = to + ".incoming";
  try {
    fs::remove_all(incoming);
    scheduler::copy_study(from, incoming);
    copy_rest(StudyFolder(from), StudyFolder(incoming));
    fs::remove_all(to);
    fs::rename(incoming, to);
  } catch (const fs::filesystem_error& error) {
    throw scheduler::JournalError(
        fmt::format("{} cannot be copied ({}): see whether there is space, then merge again", from,
                    error.what()));
  }
  return true;
}

// --- The record ---

// What one shard adds to what the batch has already.
class Joined {
 public:
  Joined(BatchJournal& journal, const BatchRecord& batch) : journal_(journal), batch_(batch) {}

  void state(const BatchStudyRecord& study) {
    const auto known = std::ranges::find(batch_.studies, study.terms.name,
                                         [](const auto& s) { return s.terms.name; });
    const bool is_here = known != batch_.studies.end() && known->since >= study.since;
    if (study.since == 0 || is_here) return;
    const std::string& name = study.terms.name;
    if (study.began) journal_.state(name, BatchStudyState::kRunning, "", {}, *study.began);
    journal_.state(name, study.state, study.reason, study.claim, study.since);
    if (study.progress) journal_.progress(name, *study.progress);
  }

  void leases(const BatchRecord& shard) {
    const auto key = [](const scheduler::BatchLease& l) {
      return std::tuple(l.study, l.device, l.from);
    };
    for (const scheduler::BatchLease& lease : shard.leases) {
      if (std::ranges::find(batch_.leases, key(lease), key) != batch_.leases.end()) continue;
      journal_.lease(lease.study, lease.device, lease.guest ? LeaseKind::kGuest : LeaseKind::kOwner,
                     lease.from);
      journal_.lease(lease.study, lease.device, LeaseKind::kNone, lease.until.value_or(lease.from));
    }
  }

  void events(const BatchRecord& shard) {
    const auto key = [](const scheduler::BatchEventRecord& e) {
      return std::tuple(e.at, e.study, e.kind, e.text);
    };
    for (const scheduler::BatchEventRecord& event : shard.events) {
      if (std::ranges::find(batch_.events, key(event), key) == batch_.events.end()) {
        journal_.event(event);
      }
    }
  }

  void notice(const std::string& text) {
    const auto known = std::ranges::find(batch_.events, text, &scheduler::BatchEventRecord::text);
    if (known != batch_.events.end()) return;
    journal_.event({scheduler::SystemClock{}.unix_seconds(), "", "notice", text});
  }

 private:
  BatchJournal& journal_;
  const BatchRecord& batch_;
};

// A device that several shards had has worked for all of them. Shards name devices with their
// nodes.
void join_devices(BatchJournal& journal, const std::vector<Shard>& shards) {
  std::vector<scheduler::BatchDeviceRecord> all;
  for (const Shard& shard : shards) {
    for (const scheduler::BatchDeviceRecord& device : shard.record.devices) {
      const auto known = std::ranges::find(all, device.uuid, &scheduler::BatchDeviceRecord::uuid);
      if (known == all.end()) {
        all.push_back({device.uuid, device.model, "", "", device.busy_seconds});
      } else {
        known->busy_seconds += device.busy_seconds;
      }
    }
  }
  for (const scheduler::BatchDeviceRecord& device : all) journal.device(device);
}

// Of the log that its last job wrote, see job_script_text(): why it has ended stands there.
std::string last_words(const std::string& batch_folder, std::size_t number) {
  const std::string end = "_" + std::to_string(number) + ".log";
  std::error_code ignored;
  fs::path newest;
  fs::file_time_type written;
  for (const auto& entry : fs::directory_iterator(batch_folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("slurm-") || !name.ends_with(end)) continue;
    const fs::file_time_type at = entry.last_write_time(ignored);
    if (newest.empty() || at > written) newest = entry.path();
    if (newest == entry.path()) written = at;
  }
  std::ifstream log(newest);
  std::string last;
  for (std::string line; std::getline(log, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return one_line(last);
}

// Why a shard has not come to its end by itself; empty where it has.
std::string trouble_of(const std::string& batch_folder, std::size_t number, const Shard& shard) {
  const auto& runs = shard.record.runs;
  if (!runs.empty() && runs.back().ended) return "";
  const std::string words = last_words(batch_folder, number);
  return fmt::format("shard {} {}{}", number, runs.empty() ? "has not run" : "was cut off",
                     words.empty() ? "" : ": " + words);
}

// What the shards have run since the end of the batch's last run, as one: runs do not overlap.
std::optional<scheduler::BatchTime::Span> new_run(const BatchRecord& batch,
                                                  const std::vector<Shard>& shards) {
  double reached = 0;
  for (const auto& span : scheduler::batch_runs(batch, 0)) reached = std::max(reached, span.until);
  std::optional<scheduler::BatchTime::Span> run;
  for (const Shard& shard : shards) {
    for (const auto& span : scheduler::batch_runs(shard.record, 0)) {
      if (span.until <= reached) continue;
      if (!run) run = {std::max(span.from, reached), span.until};
      run->from = std::min(run->from, std::max(span.from, reached));
      run->until = std::max(run->until, span.until);
    }
  }
  return run;
}

bool is_over(BatchStudyState state) {
  return state == BatchStudyState::kCompleted || state == BatchStudyState::kFailed ||
         state == BatchStudyState::kCancelled || state == BatchStudyState::kNotBegun;
}

// Those of the batch in their order, then those that the shards have besides.
std::vector<scheduler::BatchStudyTerms> terms_of_all(const BatchRecord& batch,
                                                     const std::vector<Shard>& shards) {
  std::vector<scheduler::BatchStudyTerms> all;
  const auto add = [&all](const BatchRecord& record) {
    for (const BatchStudyRecord& study : record.studies) {
      const auto known =
          std::ranges::find(all, study.terms.name, &scheduler::BatchStudyTerms::name);
      if (known == all.end()) all.push_back(study.terms);
    }
  };
  add(batch);
  for (const Shard& shard : shards) add(shard.record);
  return all;
}

}  // namespace

MergeResult merge_shards(const std::string& batch_folder) {
  const std::vector<Shard> shards = shards_of(batch_folder);
  const std::string name = scheduler::load_batch(batch_folder).name;
  BatchJournal journal(batch_folder, name);  // nobody else writes it from here on
  const BatchRecord batch = scheduler::load_batch(batch_folder);
  MergeResult result{shards.size(), 0, 0, {}, 0};
  Joined joined(journal, batch);
  bool all_over = true;
  for (const Shard& shard : shards) {
    for (const BatchStudyRecord& study : shard.record.studies) {
      const std::string from = shard.folder + "/" + study.terms.name;
      all_over = all_over && is_over(study.state);
      if (const std::string why = why_not_taken(from, study); !why.empty()) {
        joined.notice(study.terms.name + ": " + why);
        result.troubles.push_back(study.terms.name + ": " + why);
        ++result.unread;
        continue;
      }
      if (!scheduler::holds_study(from)) continue;
      ++(take_study(from, batch_folder + "/" + study.terms.name) ? result.taken : result.left);
    }
  }
  journal.studies(terms_of_all(batch, shards));
  for (const Shard& shard : shards) {
    for (const BatchStudyRecord& study : shard.record.studies) joined.state(study);
    joined.leases(shard.record);
    joined.events(shard.record);
  }
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string trouble = trouble_of(batch_folder, i + 1, shards[i]);
    if (trouble.empty()) continue;
    joined.notice(trouble);
    result.troubles.push_back(trouble);
  }
  join_devices(journal, shards);
  journal.commit();
  if (const auto run = new_run(batch, shards)) {
    journal.begin_run(run->from, std::nullopt);
    journal.end_run(all_over ? "completed" : "interrupted", "", run->until);
  }
  return result;
}

}  // namespace nightshift::tools
