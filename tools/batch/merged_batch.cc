#include "tools/batch/merged_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/summary/batch_time.h"
#include "tools/batch/batch_facts.h"
#include "tools/problem/own_journal.h"
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
  std::size_t number = 0;
  std::string folder;
  BatchRecord record;
  std::string unread;  // why its record cannot be read
};

std::size_t last_shard(const std::string& batch_folder) {
  constexpr std::uint64_t kMost = 100'000;  // of a folder with another name nothing follows
  std::uint64_t last = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(shards_folder(batch_folder), ignored)) {
    if (!entry.is_directory(ignored)) continue;
    const auto number = base::parse_count(entry.path().filename().string());
    if (number && *number <= kMost) last = std::max(last, *number);
  }
  return last;
}

std::vector<Shard> shards_of(const std::string& batch_folder) {
  std::vector<Shard> shards;
  const std::size_t last = last_shard(batch_folder);
  for (std::size_t number = 1; number <= last; ++number) {
    Shard& shard = shards.emplace_back(Shard{number, shard_folder(batch_folder, number), {}, {}});
    try {
      if (!scheduler::holds_batch(shard.folder)) {
        throw scheduler::JournalError(
            shard.folder +
            " has no record: the same `nightshift submit` runs it, then merge again");
      }
      shard.record = scheduler::load_batch(shard.folder);
    } catch (const scheduler::JournalError& error) {
      shard.unread = fmt::format("shard {} is left out: {}", number, error.what());
    }
    if (!shard.record.writer) continue;
    throw scheduler::JournalError(
        fmt::format("{} is being run by process {}: merge once that has ended, or stop it with "
                    "`nightshift cancel`",
                    shard.folder, *shard.record.writer));
  }
  if (!shards.empty()) return shards;
  throw UsageError(batch_folder + " has no shards: `nightshift submit --array N` divides a batch");
}

// --- Folders of studies ---

// How far a study has come. One that has ended goes before one that has not, then the one that has
// run for longer.
struct Reached {
  bool has_ended = false;
  double seconds = -1;  // of all its runs; below zero: there is none
  double created = 0;
  bool is_there() const { return seconds >= 0; }
  friend bool operator<(const Reached& a, const Reached& b) {
    return std::pair(a.has_ended, a.seconds) < std::pair(b.has_ended, b.seconds);
  }
};

Reached reached(const std::string& study_folder) {
  if (!scheduler::holds_study(study_folder)) return {};
  const auto history = load_own_history(study_folder, scheduler::Detail::kHead);
  return {history.status == "completed", history.run_seconds, history.header.created};
}

// Why the study of a shard cannot be taken; empty where it can, or there is none.
std::string why_not_taken(const std::string& study_folder, const BatchStudyRecord& study) {
  try {
    (void)reached(study_folder);
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
    if (fs::is_regular_file(file)) fs::copy_file(file, copy);
  }
}

// Beside the one that is there until all is copied.
void take_study(const std::string& from, const std::string& to) {
  const std::string incoming = to + ".incoming";
  try {
    fs::remove_all(incoming);
    scheduler::copy_study(from, incoming);
    copy_rest(StudyFolder(from), StudyFolder(incoming));
    fs::remove_all(to);
    fs::rename(incoming, to);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(incoming, ignored);
    throw scheduler::JournalError(from + " cannot be copied to " + to + " (" + error.what() +
                                  "): make sure that there is space, then merge again");
  }
}

// --- The record ---

// nullptr where it has none.
const BatchStudyRecord* record_of(const BatchRecord& batch, const std::string& study) {
  const auto known =
      std::ranges::find(batch.studies, study, [](const auto& s) { return s.terms.name; });
  return known == batch.studies.end() ? nullptr : &*known;
}

// What one shard adds to what the batch has already.
class Joined {
 public:
  Joined(BatchJournal& journal, const BatchRecord& batch) : journal_(journal), batch_(batch) {}

  // `anew`: the study was copied, so that what the record has of it is of another run.
  void state(const BatchStudyRecord& study, bool anew) {
    const BatchStudyRecord* known = record_of(batch_, study.terms.name);
    const bool is_here = !anew && known != nullptr && known->since >= study.since;
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
    const bool is_log = name.starts_with("slurm-") && name.ends_with(end);
    if (!is_log || !entry.is_regular_file(ignored)) continue;
    const fs::file_time_type at = entry.last_write_time(ignored);
    if (newest.empty() || at > written) std::tie(newest, written) = std::pair(entry.path(), at);
  }
  std::ifstream log(newest);
  std::string last;
  for (std::string line; std::getline(log, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return one_line(last);
}

bool is_over(BatchStudyState state) {
  return state == BatchStudyState::kCompleted || state == BatchStudyState::kFailed ||
         state == BatchStudyState::kCancelled || state == BatchStudyState::kNotBegun;
}

// Why a shard has not come to its end by itself; empty where it has, or nothing was left for it.
std::string trouble_of(const std::string& batch_folder, const Shard& shard) {
  if (!shard.unread.empty()) return shard.unread;
  const auto& runs = shard.record.runs;
  const bool nothing_is_left = std::ranges::all_of(
      shard.record.studies, [](const BatchStudyRecord& s) { return is_over(s.state); });
  const bool is_whole = runs.empty() ? !shard.record.studies.empty() && nothing_is_left
                                     : runs.back().ended.has_value();
  if (is_whole) return "";
  const std::string words = last_words(batch_folder, shard.number);
  return fmt::format("shard {} {}{}", shard.number, runs.empty() ? "has not run" : "was cut off",
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

// --- All of it ---

class Merge {
 public:
  Merge(const std::string& batch_folder, const std::vector<Shard>& shards)
      : folder_(batch_folder),
        shards_(shards),
        journal_(batch_folder, scheduler::load_batch(batch_folder).name),
        batch_(scheduler::load_batch(batch_folder)) {  // nobody else writes it from here on
    result_.shards = shards.size();
    journal_.event({now(), "", scheduler::kMergeEvent, ""});
  }

  MergeResult run() {
    for (const Shard& shard : shards_) {
      for (const BatchStudyRecord& study : shard.record.studies) join_study(shard, study);
    }
    journal_.studies(terms_of_all(batch_, shards_));
    Joined joined(journal_, batch_);
    for (const auto& [name, row] : rows_) joined.state(*row, taken_.contains(name));
    for (const Shard& shard : shards_) {
      joined.leases(shard.record);
      joined.events(shard.record);
      result_.unread += shard.unread.empty() ? 0 : 1;
      if (const std::string why = trouble_of(folder_, shard); !why.empty()) trouble(why);
    }
    join_devices(journal_, shards_);
    journal_.commit();
    if (const auto run = new_run(batch_, shards_)) {
      journal_.begin_run(run->from, std::nullopt);
      journal_.end_run(all_over_ ? "completed" : "interrupted", "", run->until);
    }
    return std::move(result_);
  }

 private:
  static double now() { return scheduler::SystemClock{}.unix_seconds(); }

  void trouble(const std::string& text) {
    journal_.event({now(), "", scheduler::kMergeNotice, text});
    result_.troubles.push_back(text);
  }

  // What is kept of a study and what the record says of it are of one and the same run.
  void join_study(const Shard& shard, const BatchStudyRecord& study) {
    const std::string& name = study.terms.name;
    const std::string from = shard.folder + "/" + name, to = folder_ + "/" + name;
    if (const std::string why = why_not_taken(from, study); !why.empty()) {
      trouble(name + ": " + why);
      ++result_.unread;
      all_over_ = all_over_ && is_over(study.state);
      rows_.try_emplace(name, &study);
      return;
    }
    const Reached theirs = reached(from), ours = reached(to);
    const bool takes = ours < theirs;
    if (theirs.is_there() && ours.is_there() && theirs.created != ours.created) {
      const std::string who = owner_of(name, ours.created);
      trouble(
          fmt::format("{}: shard {} has measured it for {:.3g} s, and {} for {:.3g} s: the "
                      "result of {} is kept",
                      name, shard.number, theirs.seconds, who, ours.seconds,
                      takes ? fmt::format("shard {}", shard.number) : who));
    }
    if (takes) take_study(from, to);
    if (takes) taken_.insert(name);
    if (theirs.is_there()) ++(takes ? result_.taken : result_.left);
    if (theirs < ours) {
      const auto row = rows_.find(name);
      const BatchStudyRecord* kept = row == rows_.end() ? record_of(batch_, name) : row->second;
      all_over_ = all_over_ && (kept == nullptr || is_over(kept->state));
      return;
    }
    all_over_ = all_over_ && is_over(study.state);
    const BatchStudyRecord*& row = rows_[name];
    if (row == nullptr || takes || row->since < study.since) row = &study;
  }

  // Whose study that is which began then.
  std::string owner_of(const std::string& study, double created) const {
    const auto is_its = [&](const Shard& shard) {
      try {
        return reached(shard.folder + "/" + study).created == created;
      } catch (const scheduler::JournalError&) {
        return false;
      }
    };
    const auto owner = std::ranges::find_if(shards_, is_its);
    return owner == shards_.end() ? "the batch itself" : fmt::format("shard {}", owner->number);
  }

  const std::string& folder_;
  const std::vector<Shard>& shards_;
  BatchJournal journal_;
  BatchRecord batch_;
  MergeResult result_;
  std::map<std::string, const BatchStudyRecord*> rows_;  // of shards, by study
  std::set<std::string> taken_;                          // studies
  bool all_over_ = true;
};

}  // namespace

MergeResult merge_shards(const std::string& batch_folder) {
  const std::vector<Shard> shards = shards_of(batch_folder);
  return Merge(batch_folder, shards).run();
}

}  // namespace nightshift::tools
