#include "tools/verify/verification.h"

#include <cmath>
#include <exception>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "problems/problem_file.h"
#include "scheduler/devices/device_selection.h"
#include "tools/compare/contender.h"
#include "tools/evaluator_program.h"
#include "tools/recheck/recheck_run.h"
#include "tools/recheck/recheck_subject.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kShare =
    4;  // of the pairs that a recheck has, those against the baseline are the fourth part

// As for an H200, which is what `check` shows where there is no device.
const ipc::GpuTarget kGpu{"", 90, 132};

std::vector<std::string> claimed_kinds(const StoredExport& claim) {
  std::set<std::string> kinds;
  for (const search::IdentityPart& part : claim.made_of) {
    if (part.kind == search::IdentityPart::Kind::kDevice) kinds.insert(part.value);
  }
  return {kinds.begin(), kinds.end()};
}

std::vector<std::string> kinds_here(const search::Problem& problem, const std::string& devices) {
  std::set<std::string> kinds;
  for (const scheduler::Device& device :
       scheduler::devices_for(problem, devices, evaluator_program())) {
    kinds.insert(device.kind());
  }
  return {kinds.begin(), kinds.end()};
}

std::vector<evaluator::DryRun> runs_of(const search::Problem& problem,
                                       const search::Configuration& winner) {
  try {
    return {evaluator::dry_run(problem, winner, kGpu), evaluator::dry_run(problem, {}, kGpu)};
  } catch (const std::exception&) {
    return {};  // whoever builds or starts it says what is wrong
  }
}

// Elsewhere a gain is seldom the same to a percent. A factor's logarithm is what has tenths.
double tenth_of_gain(double ratio) {
  constexpr double kShareOfGain = 0.1;
  return 1 - std::exp(-kShareOfGain * std::abs(std::log(ratio)));
}

// The machine code of both is to be measured: where there is none, nothing can be said.
void use_kept(const OpenBundle& bundle, StoredWinner& winner) {
  search::RecheckFacts& facts = winner.facts;
  winner.builds_nothing = true;
  if (!facts.broken.empty()) return;
  std::error_code ignored;
  if (!facts.unpaired.empty()) {
    facts.broken = "its machine code cannot be measured: " + facts.unpaired;
  } else if (facts.baseline_before.empty() ||
             !fs::exists(fs::path(bundle.artifacts) / facts.baseline_before, ignored)) {
    facts.broken = "the bundle lacks the machine code of the baseline";
  }
}

StoredWinner subject_of(const OpenBundle& bundle, const VerifyTerms& terms) {
  StoredWinner winner = winner_of_bundle(bundle, terms.overrides);
  if (terms.kept) use_kept(bundle, winner);
  winner.facts.machine_changed = true;  // it is asked about, whatever has changed
  winner.facts.margin = terms.min_difference.value_or(tenth_of_gain(winner.facts.stored_ratio));
  winner.facts.unpaired = "the claim is about the baseline";
  if (terms.pairs) winner.problem.acceptance.max_pairs = kShare * *terms.pairs;
  return winner;
}

}  // namespace

BundleOutline outlined(const OpenBundle& bundle, const VerifyTerms& terms) {
  BundleOutline outline;
  outline.name = bundle.name;
  outline.files = bundle.manifest.files.size();
  for (const BundleFile& file : bundle.manifest.files) outline.bytes += file.bytes;
  outline.folder = bundle.folder->path();
  outline.problem = problem_of(bundle, terms.overrides);
  outline.winner =
      read_contender(bundle.claim_file, outline.problem, problems::make_space(outline.problem));
  outline.ratio = bundle.claim.ratio;
  outline.interval = bundle.claim.interval;
  outline.claimed_on = claimed_kinds(bundle.claim);
  outline.builds_nothing = terms.kept;
  outline.runs = runs_of(outline.problem, outline.winner);
  return outline;
}

VerifyReport verified(const OpenBundle& bundle, BundleOutline outline, const VerifyTerms& terms) {
  VerifyReport report;
  report.measured_on = kinds_here(outline.problem, terms.devices);
  report.outline = std::move(outline);
  RecheckSubjects subjects;
  subjects.winners.push_back(subject_of(bundle, terms));
  RecheckReport found =
      rechecked(std::move(subjects), {terms.devices, terms.seed, terms.budget, {}, terms.wait});
  static_cast<Rechecking&>(report) = found;
  RecheckedWinner& winner = found.winners.front();
  report.facts = std::move(winner.facts);
  report.changes = std::move(winner.changes);
  report.detectable = winner.detectable;
  return report;
}

}  // namespace nightshift::tools
