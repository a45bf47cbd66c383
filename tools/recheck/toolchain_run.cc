#include "tools/recheck/toolchain_run.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ipc/stop_signals.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "tools/compare/built_code.h"
#include "tools/compare/measured_field.h"
#include "tools/recheck/recheck_repair.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {
namespace {

using search::kNoCode;
using search::ToolchainBuild;
using search::ToolchainFacts;

constexpr std::size_t kWinner = 0, kBaseline = 1;

// A winner on its way, with the folder that has its machine code by all compilers.
struct Subject {
  StoredWinner stored;
  ToolchainFacts facts;
  std::unique_ptr<TemporaryFolder> folder;
  search::Problem problem;  // by the first compiler that works
  search::Configuration configuration;
  std::string reference;
  std::vector<std::optional<RecheckRepair>> repairs;  // under each toolchain
};

// False where a signal stopped it.
bool build_by(Subject& subject, const Toolchain& toolchain, const std::string& devices,
              ToolchainBuild& build) {
  const StoredWinner& stored = subject.stored;
  build.concerned = stored.facts.broken.empty() ? concerns(toolchain, stored.problem) : true;
  build.broken = stored.facts.broken;
  if (!build.concerned || !build.broken.empty()) return true;
  search::Problem problem = with_toolchain(stored.problem, toolchain);
  search::Configuration configuration =
      with_toolchain(stored.configuration, stored.problem, toolchain);
  try {
    const auto built =
        built_code(problem, {{"the winner", configuration}, {"the baseline", {}}}, devices,
                   *subject.folder, "building " + stored.name + " by " + toolchain.shown.name);
    if (!built) return false;
    build.winner = search::code_of(subject.facts, built->contenders[kWinner]);
    build.baseline = search::code_of(subject.facts, built->contenders[kBaseline]);
    if (!subject.reference.empty()) return true;
    subject.reference = built->reference;
    subject.problem = std::move(problem);
    subject.configuration = std::move(configuration);
  } catch (const scheduler::StudyError& error) {
    build.broken = error.what();
  }
  return true;
}

bool build_all(std::vector<Subject>& subjects, const std::vector<Toolchain>& toolchains,
               const std::string& devices) {
  for (Subject& subject : subjects) {
    subject.facts.builds.resize(toolchains.size());
    for (std::size_t t = 0; t < toolchains.size(); ++t) {
      subject.facts.builds[t].concerned = concerns(toolchains[t], subject.stored.problem);
    }
  }
  for (Subject& subject : subjects) {
    subject.folder = std::make_unique<TemporaryFolder>();
    subject.facts.margin = subject.stored.facts.margin;
    for (std::size_t t = 0; t < toolchains.size(); ++t) {
      if (!build_by(subject, toolchains[t], devices, subject.facts.builds[t])) return false;
    }
    fetch_old_code(subject.stored, subject.folder->artifacts());
    const search::RecheckFacts& stored = subject.stored.facts;
    if (stored.broken.empty() && stored.unpaired.empty() && !subject.stored.old_code.empty()) {
      subject.facts.kept = search::code_of(subject.facts, stored.winner_before);
    }
  }
  return true;
}

// The pieces of code that are measured, as contenders, and their positions among all.
struct Measured {
  Field field;
  std::vector<std::size_t> codes;
};

std::string name_of_code(const Subject& subject, const std::vector<Toolchain>& toolchains,
                         std::size_t code, bool& is_winner) {
  for (std::size_t t = 0; t < toolchains.size(); ++t) {
    const ToolchainBuild& build = subject.facts.builds[t];
    if (!build.concerned || !build.broken.empty()) continue;
    if (build.winner == code) return "the winner by " + toolchains[t].shown.name;
    if (build.baseline != code) continue;
    is_winner = false;
    return "the baseline by " + toolchains[t].shown.name;
  }
  return code == subject.facts.kept ? "the machine code that was kept" : "";
}

Measured contenders_of(const Subject& subject, const std::vector<Toolchain>& toolchains) {
  Measured measured{{subject.problem, {}, {}, subject.folder->artifacts(), subject.reference}, {}};
  measured.field.temporary = subject.folder->path();
  for (std::size_t code = 0; code < subject.facts.codes.size(); ++code) {
    bool is_winner = true;
    const std::string name = name_of_code(subject, toolchains, code, is_winner);
    if (name.empty()) continue;  // of what is broken by now
    measured.codes.push_back(code);
    measured.field.contenders.push_back(
        {name, is_winner ? subject.configuration : search::Configuration(),
         subject.facts.codes[code]});
  }
  return measured;
}

// Whatever has this code is out, for the reason given.
void give_up(ToolchainFacts& facts, std::size_t code, const std::string& why) {
  for (ToolchainBuild& build : facts.builds) {
    const bool has_it = build.winner == code || build.baseline == code;
    if (build.concerned && build.broken.empty() && has_it) build.broken = why;
  }
  if (facts.kept == code) facts.kept = kNoCode;
}

void give_up_all(ToolchainFacts& facts, const std::string& why) {
  for (ToolchainBuild& build : facts.builds) {
    if (build.concerned && build.broken.empty()) build.broken = why;
  }
}

// False where a signal stopped it. Each turn has a contender less.
bool measure(Subject& subject, const std::vector<Toolchain>& toolchains, std::size_t others,
             const RecheckTerms& terms, ToolchainReport& report) {
  ToolchainFacts& facts = subject.facts;
  while (search::has_question(facts)) {
    Measured measured = contenders_of(subject, toolchains);
    measured.field.others = others;
    try {
      const auto found = ranked(measured.field, {terms.devices, terms.seed, {}, terms.wait});
      if (!found) return false;
      facts.undecided = found->undecided;
      facts.pairs = found->pairs;
      for (search::RankedPair& pair : facts.pairs) {
        pair.first = measured.codes[pair.first];
        pair.second = measured.codes[pair.second];
      }
      report.evaluations += found->records.size();
      return true;
    } catch (const scheduler::ContenderFailed& failed) {
      if (failed.contender() < measured.codes.size()) {
        give_up(facts, measured.codes[failed.contender()], failed.what());
      } else {
        give_up_all(facts, failed.what());  // the baseline that objectives are relative to
      }
    } catch (const scheduler::StudyError& error) {
      give_up_all(facts, error.what());
    }
  }
  return true;
}

template <class Seconds>
bool measure_all(std::vector<Subject>& subjects, const std::vector<Toolchain>& toolchains,
                 const RecheckTerms& terms, const Seconds& seconds, ToolchainReport& report) {
  std::vector<Subject*> order;
  for (Subject& subject : subjects) {
    if (search::has_question(subject.facts)) order.push_back(&subject);
  }
  std::ranges::stable_sort(order, {},
                           [](const Subject* s) { return s->stored.facts.stored_ratio; });
  std::vector<std::size_t> contenders;
  for (Subject* subject : order) {
    subject->facts.reached = false;
    contenders.push_back(contenders_of(*subject, toolchains).codes.size());
  }
  search::SharedLevel shared(contenders);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (terms.budget && seconds() >= *terms.budget) break;
    if (!measure(*order[i], toolchains, shared.others(i), terms, report)) return false;
    order[i]->facts.reached = true;
    shared.ended(i, order[i]->facts.pairs);
  }
  return true;
}

// --- Repair ---

// What is better by the machine code that was kept; the rest is to be tuned anew.
std::vector<TunedAnew> keep_or_collect(std::vector<Subject>& subjects,
                                       const std::vector<Toolchain>& toolchains) {
  std::vector<TunedAnew> anew;
  for (Subject& subject : subjects) {
    subject.repairs.resize(toolchains.size());
    for (std::size_t t = 0; t < toolchains.size(); ++t) {
      if (!search::wants_repair(search::verdict_of(subject.facts, t))) continue;
      RecheckRepair& repair = subject.repairs[t].emplace();
      repair.old_code = search::kept_gain(subject.facts, t);
      if (search::kept_instead(subject.facts, t) != search::KeptCode::kNo) {
        repair.kept = subject.stored.old_code;
      } else if (has_patched_compiler(subject.stored.problem)) {
        repair.reason =
            "the name of the compiler is made of a parameter and text; tune it by itself";
      } else {
        const search::Problem& problem = subject.stored.problem;
        anew.push_back({subject.stored, &repair});
        StoredWinner& winner = anew.back().winner;
        winner.configuration = with_toolchain(winner.configuration, problem, toolchains[t]);
        std::ranges::copy(overrides_of(toolchains[t], problem),
                          std::back_inserter(winner.overrides));
      }
    }
  }
  return anew;
}

}  // namespace

ToolchainReport rechecked_under(RecheckSubjects asked, const std::vector<Toolchain>& toolchains,
                                const RecheckTerms& terms) {
  const ipc::HeldStopSignals held;  // also between two measurements the report is made
  const scheduler::SystemClock clock;
  const auto began = clock.now();
  const auto seconds = [&] { return std::chrono::duration<double>(clock.now() - began).count(); };
  ToolchainReport report;
  report.notices = std::move(asked.notices);
  report.unread = asked.unread;
  for (const Toolchain& toolchain : toolchains) report.toolchains.push_back(toolchain.shown);
  std::vector<Subject> subjects;
  for (StoredWinner& winner : asked.winners) {
    const bool any = !winner.facts.broken.empty() ||
                     std::ranges::any_of(toolchains, [&](const Toolchain& toolchain) {
                       return concerns(toolchain, winner.problem);
                     });
    if (any) {
      subjects.push_back({std::move(winner), {}, nullptr, {}, {}, {}, {}});
    } else {
      report.notices.push_back(winner.name + " is compiled by none of these");
    }
  }
  const bool built = build_all(subjects, toolchains, terms.devices);
  report.build_seconds = seconds();
  try {
    report.stopped = !built || !measure_all(subjects, toolchains, terms, seconds, report);
    if (terms.repair && !report.stopped) {
      report.stopped = !tune_all_anew(keep_or_collect(subjects, toolchains), *terms.repair,
                                      {terms.devices, terms.wait}, report.notices);
    }
  } catch (const scheduler::DeviceError& error) {
    report.device_error = error.what();
  } catch (const scheduler::StoppedEarly&) {
    report.stopped = true;
  }
  if (held.pending()) report.stopped = true;
  for (Subject& subject : subjects) {
    StoredWinner& stored = subject.stored;
    report.winners.push_back({std::move(stored.name), std::move(stored.problem),
                              std::move(stored.configuration), std::move(subject.facts),
                              stored.facts.stored_ratio, std::move(subject.repairs)});
  }
  report.seconds = seconds();
  return report;
}

}  // namespace nightshift::tools
