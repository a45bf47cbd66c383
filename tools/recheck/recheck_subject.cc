#include "tools/recheck/recheck_subject.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/file_text.h"
#include "base/overloaded.h"
#include "evaluator/process/artifact_tree.h"
#include "ipc/messages.h"
#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "search/scoring.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/looked_at.h"
#include "tools/bundle/stored_export.h"
#include "tools/compare/contender.h"
#include "tools/problem/calling.h"
#include "tools/problem/elsewhere_problem.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/problem/own_journal.h"
#include "tools/problem/problem_source.h"
#include "tools/study_folder.h"
#include "tools/summary/measured_elsewhere.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using search::Identity;
using search::IdentityChange;
using Kind = search::IdentityPart::Kind;

bool is_of_machine(Kind kind) {
  return kind == Kind::kProcessor || kind == Kind::kDriver || kind == Kind::kDeviceSetting ||
         kind == Kind::kDevice;
}
bool is_of_source(Kind kind) {
  return kind == Kind::kSource || kind == Kind::kFile || kind == Kind::kProgram ||
         kind == Kind::kInput;
}

Identity parts_of(const Identity& identity, bool (*belongs)(Kind)) {
  Identity parts;
  for (const search::IdentityPart& part : identity) {
    if (belongs(part.kind)) parts.push_back(part);
  }
  return parts;
}

// Another machine, and another compiler, has another name: there the values alone are compared. One
// of then and one of now; nullopt where a name is in both, or nothing differs.
std::optional<std::pair<std::string, std::string>> under_other_names(Kind kind,
                                                                     const Identity& before,
                                                                     const Identity& now) {
  std::set<std::string> names, values, other_values;
  bool same_name = false;
  for (const search::IdentityPart& p : before) {
    if (p.kind == kind) names.insert(p.name), values.insert(p.value);
  }
  for (const search::IdentityPart& p : now) {
    if (p.kind != kind) continue;
    same_name = same_name || names.contains(p.name);
    other_values.insert(p.value);
  }
  if (same_name || values.empty() || other_values.empty() || values == other_values) {
    return std::nullopt;
  }
  return std::pair(*values.begin(), *other_values.begin());
}

using Changes = std::function<std::vector<IdentityChange>(const Identity& now)>;

void note_changes(const Identity& before, const Changes& changes, StoredWinner& winner) {
  const Identity now = made_of(winner.problem);
  for (const IdentityChange& change : changes(now)) winner.changes.push_back(change.text);
  winner.facts.source_changed = search::any_matters(changes(parts_of(now, is_of_source)));
  winner.facts.machine_changed = search::any_matters(changes(parts_of(now, is_of_machine)));
  if (const auto compilers = under_other_names(Kind::kCompiler, before, now)) {
    winner.changes.push_back("it was compiled by " + compilers->first + ", here by " +
                             compilers->second);
  }
  for (const Kind kind : {Kind::kProcessor, Kind::kDriver}) {
    const auto machines = under_other_names(kind, before, now);
    if (!machines) continue;
    winner.facts.machine_changed = true;
    winner.changes.push_back("it was measured on another machine (" + machines->first + ", here " +
                             machines->second + ")");
    break;
  }
  winner.made_of = now;
}

void find_old_code(const std::vector<std::string>& folders, StoredWinner& winner) {
  search::RecheckFacts& facts = winner.facts;
  const auto* command = std::get_if<search::CommandBackend>(&winner.problem.backend);
  if (!facts.is_built) {
    facts.unpaired = "nothing is built of it that could be kept";
  } else if (command != nullptr && command->mode == search::CommandBackend::Mode::kServer) {
    facts.unpaired = "a program serves it, which is there as of today alone";
  } else if (facts.winner_before.empty()) {
    facts.unpaired = "its machine code of then is not known";
  } else {
    for (const std::string& folder : folders) {
      const fs::path path = fs::path(folder) / facts.winner_before;
      std::error_code ignored;
      if (fs::exists(path, ignored)) winner.old_code = path.string();
    }
    if (winner.old_code.empty()) facts.unpaired = "its machine code of then is not kept any more";
  }
}

// --- Studies ---

// Its text stays empty where there is no file any more.
search::Problem problem_of_today(const scheduler::History& history,
                                 const std::vector<problems::Override>& overrides,
                                 std::string& text) {
  std::vector<problems::Override> all = overrides_of(history);
  all.insert(all.end(), overrides.begin(), overrides.end());
  const std::string& file = history.header.problem_file;
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? read_problem(file, all, &text)
                                            : problem_of(history, overrides);
}

bool is_same_figure(const search::Objective& a, const search::Objective& b) {
  return a.name == b.name && a.direction == b.direction && a.statistic == b.statistic &&
         a.difference_scale == b.difference_scale;
}

// Where what is asked of it is something else than then.
void note_terms(const scheduler::History& history, const std::string& text,
                const search::Problem& before, StoredWinner& winner) {
  if (text.empty() || history.header.problem_text.empty()) return;
  const std::vector<std::string> terms = problems::changed_terms(
      {history.header.problem_text, overrides_of(history)}, {text, winner.overrides});
  winner.facts.asked_otherwise = !terms.empty();
  winner.changes.insert(winner.changes.end(), terms.begin(), terms.end());
  const search::Objective& was = search::judged_objective(before);
  const search::Objective& is = search::judged_objective(winner.problem);
  if (is_same_figure(was, is)) return;
  winner.facts.incomparable =
      "its gain was stored of another figure (" + was.name + ", now " + is.name +
      "): what is measured today cannot be compared with it; tune it as it is";
}

// What a reader of a file of today says is wrong with it is a finding about the winner.
template <class Read>
void told(StoredWinner& winner, Read read) {
  try {
    read();
  } catch (const UsageError& error) {
    winner.facts.broken = error.what();
  } catch (const problems::ProblemFileError& error) {
    winner.facts.broken = error.what();
  }
}

void set_problem(StoredWinner& winner, const std::string& contender,
                 const std::function<search::Problem()>& problem) {
  told(winner, [&] {
    winner.problem = problem();
    winner.facts.is_built = search::needs_build(winner.problem);
    winner.facts.margin = winner.problem.acceptance.min_improvement;
    winner.configuration =
        read_contender(contender, winner.problem, problems::make_space(winner.problem));
  });
}

void add_study(const scheduler::History& history, const std::string& path, const std::string& shown,
               const std::vector<problems::Override>& overrides, RecheckSubjects& subjects) {
  const search::Problem before = problem_for_telling(history);
  const scheduler::StudySummary summary = scheduler::summarise(history, before);
  if (!summary.accepted || !summary.best) {
    subjects.notices.push_back(shown + " accepted no improvement: nothing to recheck");
    return;
  }
  StoredWinner winner;
  winner.name = shown;
  winner.problem = before;
  winner.study = StudyFolder(path).path();
  winner.overrides = overrides_of(history);
  winner.overrides.insert(winner.overrides.end(), overrides.begin(), overrides.end());
  winner.facts.winner_before = summary.best->artifact;
  winner.facts.baseline_before = summary.baseline_artifact;
  winner.facts.stored_ratio = summary.ratio;
  winner.facts.stored_interval = summary.ratio_interval;
  std::string text;
  set_problem(winner, path, [&] { return problem_of_today(history, overrides, text); });
  if (winner.facts.broken.empty() && search::is_recorded(winner.problem)) {
    subjects.notices.push_back(shown + " replays a recording: nothing to recheck");
    return;
  }
  if (winner.facts.broken.empty() && is_measured_elsewhere(winner.problem)) {
    subjects.notices.push_back(shown + " is measured elsewhere: nothing to recheck here; `" +
                               search_command(winner.problem, StudyFolder(path)) +
                               "` goes on with it");
    return;
  }
  if (winner.facts.broken.empty()) {
    const auto changes = [&](const Identity& now) { return changes_since(history, now); };
    note_changes(scheduler::identity_of(history), changes, winner);
    note_terms(history, text, before, winner);
    find_old_code({StudyFolder(path).artifacts()}, winner);
    if (winner.facts.unpaired.empty() && !called_alike(before, winner.problem)) {
      winner.facts.unpaired = "arguments, sizes or launches are other ones than then";
    }
  }
  subjects.winners.push_back(std::move(winner));
}

// --- Exports ---

void set_claim(const StoredExport& stored, StoredWinner& winner) {
  winner.problem.name = stored.problem;
  winner.facts.winner_before = stored.artifact;
  winner.facts.baseline_before = stored.baseline_artifact;
  winner.facts.stored_ratio = stored.ratio;
  winner.facts.stored_interval = stored.interval;
}

void note_changes(const StoredExport& stored, StoredWinner& winner) {
  note_changes(
      stored.made_of,
      [&](const Identity& now) { return search::changes_between(stored.made_of, now); }, winner);
}

// nullopt where the file is no export of ours.
std::optional<StoredExport> export_of(const std::string& path) {
  return read_export(base::text_if_there(path));
}

void add_export(const std::string& path, const StoredExport& stored,
                const std::vector<problems::Override>& overrides, RecheckSubjects& subjects) {
  if (!stored.accepted) {
    subjects.notices.push_back(path + " holds no accepted improvement: nothing to recheck");
    return;
  }
  StoredWinner winner;
  set_claim(stored, winner);
  winner.name = path;
  winner.overrides = overrides;
  const fs::path folder = fs::absolute(path).parent_path();
  const fs::path named = stored.problem_file;
  std::error_code ignored;
  const fs::path beside = folder / named.filename();
  const bool is_beside = !named.empty() && fs::is_regular_file(beside, ignored);
  const std::string file = (is_beside ? beside : named).string();
  if (named.empty()) {
    winner.facts.broken = path + ": names no problem file; export it anew";
  } else {
    set_problem(winner, path, [&] { return read_problem(file, overrides); });
  }
  if (!named.empty() && !winner.facts.broken.empty() &&
      lacks_backend(inspect_problem(file, overrides))) {
    subjects.notices.push_back(path + " is of a problem that is measured elsewhere (" + file +
                               "): nothing to recheck here");
    return;
  }
  if (winner.facts.broken.empty()) {
    note_changes(stored, winner);
    find_old_code({(folder / "artifacts").string()}, winner);
    // How it was called then, an export does not say.
    if (winner.facts.unpaired.empty() && winner.facts.source_changed) {
      winner.facts.unpaired = "sources have changed, and an export does not say how it was called";
      winner.old_code.clear();
    }
  }
  subjects.winners.push_back(std::move(winner));
}

// --- What a word names ---

void note_unread(std::string why, RecheckSubjects& subjects) {
  subjects.notices.push_back(std::move(why));
  ++subjects.unread;
}

// A journal that cannot be read, or is another study's, leaves the others their place.
void add_of_several(const std::string& folder, const std::string& shown,
                    const std::function<scheduler::History()>& read,
                    const std::vector<problems::Override>& overrides, RecheckSubjects& subjects) {
  try {
    add_study(read(), folder, shown, overrides, subjects);
  } catch (const scheduler::JournalError& error) {
    note_unread(shown + " is left out: " + error.what(), subjects);
  }
}

void add_batch(const std::string& batch, const std::string& shown,
               const std::vector<problems::Override>& overrides, RecheckSubjects& subjects) {
  const scheduler::BatchRecord record = scheduler::load_batch(batch);
  const std::vector<scheduler::BatchStudyTerms> all = terms_in(record);
  for (const scheduler::BatchStudyRecord& study : record.studies) {
    const StudyFolder folder(batch + "/" + study.terms.name);
    const auto read = [&] {
      auto history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
      expect_own_journal(history, folder, study.terms, all);
      return history;
    };
    if (scheduler::holds_study(folder.path())) {
      add_of_several(folder.path(), shown + "/" + study.terms.name, read, overrides, subjects);
    } else if (std::string gone = why_gone(folder, study); !gone.empty()) {
      note_unread(std::move(gone), subjects);
    }
  }
}

void add_studies(const LookedAt& found, const std::string& shown, bool is_itself,
                 const std::vector<problems::Override>& overrides, RecheckSubjects& subjects) {
  if (found.is_batch) return add_batch(found.folder, shown, overrides, subjects);
  const auto read = [&] { return load_own_history(found.folder, scheduler::Detail::kTrials); };
  if (is_itself) return add_study(read(), found.folder, shown, overrides, subjects);
  add_of_several(found.folder, shown, read, overrides, subjects);
}

void add_word(const std::string& word, const std::vector<problems::Override>& overrides,
              RecheckSubjects& subjects) {
  std::error_code ignored;
  const std::size_t before = subjects.winners.size() + subjects.notices.size();
  if (holds_bundle(word)) {
    subjects.winners.push_back(winner_of_bundle(opened_bundle(word), overrides));
  } else if (fs::is_regular_file(word, ignored)) {
    if (const auto stored = export_of(word)) add_export(word, *stored, overrides, subjects);
  } else {
    std::vector<LookedAt> found = looked_at_or_named(word);
    std::ranges::sort(found, {}, &LookedAt::folder);
    const bool is_itself = found.size() == 1 && StudyFolder(word).path() == found.front().folder;
    for (const LookedAt& one : found) {
      const std::string name = fs::path(one.folder).filename().string();
      add_studies(one, is_itself ? word : (fs::path(word) / name).string(), is_itself, overrides,
                  subjects);
    }
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(word, ignored)) {
      if (!is_itself && entry.path().extension() == ".json") files.insert(entry.path().string());
    }
    for (const std::string& file : files) {
      if (const auto stored = export_of(file)) add_export(file, *stored, overrides, subjects);
    }
  }
  if (subjects.winners.size() + subjects.notices.size() == before) {
    throw UsageError(word +
                     ": expected a study, a batch, a folder of studies or exports, or a file "
                     "that `nightshift export --format json` wrote");
  }
}

}  // namespace

StoredWinner winner_of_bundle(const OpenBundle& bundle,
                              const std::vector<problems::Override>& overrides) {
  // What a compiler of the bundle makes must not be found by anybody's build of the same source.
  setenv("NIGHTSHIFT_BUILD_CACHE", "off", 1);
  StoredWinner winner;
  set_claim(bundle.claim, winner);
  winner.name = bundle.name;
  winner.folder = bundle.folder;
  winner.overrides = overrides;
  set_problem(winner, bundle.claim_file, [&] { return problem_of(bundle, overrides); });
  if (!winner.facts.broken.empty()) return winner;
  note_changes(bundle.claim, winner);
  find_old_code({bundle.artifacts}, winner);
  return winner;
}

void fetch_old_code(StoredWinner& winner, const std::string& artifacts) {
  if (winner.old_code.empty()) return;
  std::vector<std::string> hashes = {winner.facts.winner_before};
  if (winner.builds_nothing) hashes.push_back(winner.facts.baseline_before);
  const fs::path kept = fs::path(winner.old_code).parent_path();
  for (const std::string& hash : hashes) {
    try {
      evaluator::copy_artifact(kept / hash, artifacts);
    } catch (const std::runtime_error& error) {
      winner.facts.unpaired =
          std::string("its machine code of then cannot be read: ") + error.what();
    }
  }
}

RecheckSubjects recheck_subjects(const std::vector<std::string>& words,
                                 const std::vector<problems::Override>& overrides) {
  RecheckSubjects subjects;
  for (const std::string& word : words) add_word(word, overrides, subjects);
  return subjects;
}

}  // namespace nightshift::tools
