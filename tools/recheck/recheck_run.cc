#include "tools/recheck/recheck_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "ipc/stop_signals.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "search/statistics/power.h"
#include "tools/compare/built_code.h"
#include "tools/compare/measured_field.h"
#include "tools/recheck/recheck_repair.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {
namespace {

using scheduler::Contender;
using search::RecheckFacts;
using search::RecheckStep;

constexpr std::size_t kWinner = 0, kBaseline = 1;

// A winner on its way, with the folder that has its machine code of then and of today.
struct Subject {
  StoredWinner stored;
  std::shared_ptr<TemporaryFolder> folder;
  std::string reference;
  double detectable = 0;
  std::optional<RecheckRepair> repair;
};

// False where a signal stopped it.
bool build(Subject& subject, const std::string& asked_devices) {
  StoredWinner& stored = subject.stored;
  RecheckFacts& facts = stored.facts;
  subject.folder = stored.folder ? stored.folder : std::make_shared<TemporaryFolder>();
  std::vector<Contender> contenders = {{"the winner", stored.configuration}, {"the baseline", {}}};
  if (stored.builds_nothing) {
    facts.winner_now = facts.winner_before;
    facts.baseline_now = subject.reference = facts.baseline_before;
    if (!search::has_reference(stored.problem)) return true;
    contenders[kWinner].artifact = facts.winner_before;
    contenders[kBaseline].artifact = facts.baseline_before;
  }
  const auto built = built_code(stored.problem, contenders, asked_devices, *subject.folder,
                                "building " + stored.name);
  if (!built) return false;
  facts.winner_now = built->contenders[kWinner];
  facts.baseline_now = built->contenders[kBaseline];
  subject.reference = built->reference;
  return true;
}

// Two of its codes, compared as that step does.
Field field_of(const Subject& subject, RecheckStep step, const Contender& first,
               const Contender& second) {
  Field field;
  field.problem = subject.stored.problem;
  field.problem.acceptance =
      search::settings_of(step, subject.stored.problem.acceptance, subject.stored.facts.level);
  field.contenders = {first, second};
  field.artifacts = subject.folder->artifacts();
  field.reference = subject.reference;
  field.temporary = subject.folder->path();
  return field;
}

Contender baseline_of_today(const Subject& subject) {
  return {"the baseline", {}, subject.stored.facts.baseline_now};
}

Contender old_code(const Subject& subject) {
  return {"its old machine code", subject.stored.configuration, subject.stored.facts.winner_before};
}

Contender winner_of_today(const Subject& subject) {
  return {"the winner", subject.stored.configuration, subject.stored.facts.winner_now};
}

double detectable(const ComparisonReport& report, double level) {
  std::size_t pairs = 0;
  for (const search::DeviceEffect& d : report.verdict.devices) {
    pairs += static_cast<std::size_t>(d.pairs);
  }
  if (pairs < 2 || report.pair_sd <= 0) return 0;
  return search::detectable_effect(level / 2, 0.9, pairs, report.pair_sd);
}

// False where a signal stopped it.
bool measure(Subject& subject, RecheckStep step, const RecheckTerms& terms, RecheckReport& report) {
  RecheckFacts& facts = subject.stored.facts;
  const bool against_old = step == RecheckStep::kAgainstOld;
  try {
    const Contender first = against_old ? old_code(subject) : baseline_of_today(subject);
    const auto found = compared(field_of(subject, step, first, winner_of_today(subject)),
                                {terms.devices, terms.seed, {}, terms.wait});
    if (!found) return false;
    (against_old ? facts.against_old : facts.against_baseline) = found->verdict;
    subject.detectable = std::max(subject.detectable, detectable(*found, facts.level));
    report.evaluations += found->records.size();
  } catch (const scheduler::ContenderFailed& failed) {
    if (against_old && failed.contender() == 0) {
      facts.unpaired = failed.what();
    } else {
      facts.broken = failed.what();
    }
  } catch (const scheduler::StudyError& error) {
    facts.broken = error.what();
  }
  return true;
}

bool build_all(std::vector<Subject>& subjects, const std::string& devices) {
  for (Subject& subject : subjects) {
    RecheckFacts& facts = subject.stored.facts;
    if (!facts.broken.empty()) continue;
    try {
      if (!build(subject, devices)) return false;
      fetch_old_code(subject.stored, subject.folder->artifacts());
    } catch (const scheduler::StudyError& error) {
      facts.broken = error.what();
    }
  }
  return true;
}

template <class Seconds>
bool measure_all(std::vector<Subject>& subjects, const RecheckTerms& terms, const Seconds& seconds,
                 RecheckReport& report) {
  std::vector<RecheckFacts*> winners;
  for (Subject& subject : subjects) winners.push_back(&subject.stored.facts);
  return search::ask_in_turn(
      winners,
      {[&](std::size_t i) { return subjects[i].stored.problem.acceptance.level; },
       [&] { return terms.budget && seconds() >= *terms.budget; },
       [&](std::size_t i, RecheckStep step) { return measure(subjects[i], step, terms, report); }});
}

// --- Repair ---

bool wants_repair(const RecheckFacts& facts) {
  const search::RecheckVerdict verdict = search::verdict_of(facts);
  return verdict == search::RecheckVerdict::kBroken || verdict == search::RecheckVerdict::kLost ||
         verdict == search::RecheckVerdict::kRegressed;
}

// Whether the machine code that was kept is better than today's baseline. False where a signal
// stopped it.
bool try_old_code(Subject& subject, const RecheckTerms& terms, RecheckReport& report) {
  StoredWinner& stored = subject.stored;
  RecheckFacts& facts = stored.facts;
  if (stored.old_code.empty() || !facts.unpaired.empty()) return true;
  try {
    if (facts.baseline_now.empty()) {  // the winner of today could not be built
      const auto built = built_code(stored.problem, {{"the baseline", {}}}, terms.devices,
                                    *subject.folder, "building the baseline of " + stored.name);
      if (!built) return false;
      facts.baseline_now = built->contenders.front();
      subject.reference = built->reference;
      fetch_old_code(stored, subject.folder->artifacts());
      if (!facts.unpaired.empty()) return true;
    }
    const auto found = compared(field_of(subject, RecheckStep::kAgainstBaseline,
                                         baseline_of_today(subject), old_code(subject)),
                                {terms.devices, terms.seed, {}, terms.wait});
    if (!found) return false;
    report.evaluations += found->records.size();
    subject.repair->old_code = {found->verdict.ratio, found->verdict.interval};
    const bool wins = search::is_accepted(found->verdict) && found->verdict.ratio < 1;
    if (wins) subject.repair->kept = stored.old_code;
  } catch (const scheduler::StudyError& error) {
    subject.repair->reason = error.what();  // told where there is no study either
  }
  return true;
}

// False where a signal stopped it.
bool repair_all(std::vector<Subject>& subjects, const RecheckTerms& terms, RecheckReport& report) {
  std::vector<TunedAnew> anew;
  for (Subject& subject : subjects) {
    if (!wants_repair(subject.stored.facts)) continue;
    subject.repair.emplace();
    if (!try_old_code(subject, terms, report)) return false;
    if (subject.repair->kept.empty()) anew.push_back({subject.stored, &*subject.repair});
  }
  return tune_all_anew(anew, *terms.repair, {terms.devices, terms.wait}, report.notices);
}

}  // namespace

RecheckReport rechecked(RecheckSubjects asked, const RecheckTerms& terms) {
  const ipc::HeldStopSignals held;  // also between two measurements the report is made
  const scheduler::SystemClock clock;
  const auto began = clock.now();
  const auto seconds = [&] { return std::chrono::duration<double>(clock.now() - began).count(); };
  std::vector<Subject> subjects;
  for (StoredWinner& winner : asked.winners) subjects.push_back({std::move(winner), {}, {}, 0, {}});
  RecheckReport report;
  report.notices = std::move(asked.notices);
  report.unread = asked.unread;
  const bool built = build_all(subjects, terms.devices);
  report.build_seconds = seconds();
  try {
    report.stopped = !built || !measure_all(subjects, terms, seconds, report);
    if (terms.repair && !report.stopped) report.stopped = !repair_all(subjects, terms, report);
  } catch (const scheduler::DeviceError& error) {
    report.device_error = error.what();
  } catch (const scheduler::StoppedEarly&) {
    report.stopped = true;
  }
  if (held.pending()) report.stopped = true;
  for (Subject& subject : subjects) {
    StoredWinner& stored = subject.stored;
    if (!built) stored.facts.reached = false;
    report.winners.push_back(
        {std::move(stored.name), std::move(stored.problem), std::move(stored.configuration),
         std::move(stored.facts), std::move(stored.changes), subject.detectable,
         std::move(subject.repair), std::move(stored.overrides), std::move(stored.made_of)});
  }
  report.seconds = seconds();
  return report;
}

}  // namespace nightshift::tools
