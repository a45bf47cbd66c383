#include "tools/text/progress_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "scheduler/confirmation/succession.h"
#include "search/scoring.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::StudyStatus;

bool is_failure_kind(std::size_t i) {
  return search::kStatusNames[i] != "measured" && search::kStatusNames[i] != "skipped";
}

search::Objective objective_of(const StudyStatus& status) {
  return search::judged_objective(*status.problem);
}

// ", on cpu:0-1"; nothing for GPUs and recordings, whose programs are not held to cores.
std::string cores_text(const StudyStatus& status) {
  if (status.devices.empty() || status.devices.front().device.cores.empty()) return "";
  const std::string first = ", on " + status.devices.front().device.uuid;
  if (status.devices.size() == 1) return first;
  return first + " to " + status.devices.back().device.uuid + " (" +
         count_of(status.devices.size(), "device") + ")";
}

}  // namespace

std::string budget_text(const search::Budget& budget) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? "" : " or ") + part;
  };
  if (budget.seconds > 0) add(format_duration(budget.seconds));
  if (budget.simulated_seconds > 0) {
    add(format_duration(budget.simulated_seconds) + " of recorded time");
  }
  if (budget.trials > 0) add(count_of(budget.trials, "configuration"));
  if (budget.stall > 0) {
    add(count_of(budget.stall, "configuration") + " without a new best");
  }
  return text.empty() ? "all configurations" : text;
}

std::string space_text(const StudyStatus& status) {
  return (status.space_counted ? "" : "at most ") + count_of(status.space_size, "configuration");
}

std::string start_line(const StudyStatus& status, const std::string& study_folder, bool resumed) {
  return (resumed ? "resuming " : "tuning ") + one_line(status.problem->name) + ": " +
         space_text(status) + " possible, budget " + budget_text(status.problem->budget) +
         cores_text(status) + ", study " + study_folder;
}

std::string trials_text(const StudyStatus& status) {
  std::uint64_t failures = 0;
  std::string kinds;
  for (std::size_t i = 0; i < status.by_status.size(); ++i) {
    if (!is_failure_kind(i) || status.by_status[i] == 0) continue;
    failures += status.by_status[i];
    kinds += (kinds.empty() ? "" : ", ") + format_count(status.by_status[i]) + " " +
             std::string(search::kStatusNames[i]);
  }
  std::string text = format_count(status.evaluations) + " done, " +
                     format_count(status.outstanding) + " running, " + format_count(failures) +
                     " failed";
  if (!kinds.empty()) text += " (" + kinds + ")";
  if (status.skipped > 0) text += ", " + format_count(status.skipped) + " skipped";
  if (status.beyond_limits > 0) {
    text += ", " + format_count(status.beyond_limits) + " beyond a limit";
  }
  return text;
}

std::string best_text(const StudyStatus& status) {
  if (!status.best_ratio) return "nothing measured yet";
  return format_change(objective_of(status), *status.best_ratio);
}

std::string accepted_text(const StudyStatus& status) {
  if (!status.incumbent_ratio) return "";
  if (!status.claim) return format_change(objective_of(status), *status.incumbent_ratio);
  return format_change(objective_of(status), status.claim->ratio, status.claim->interval);
}

double rate_of(const StudyStatus& status) {
  return status.elapsed > 0 ? static_cast<double>(status.evaluations) / status.elapsed : 0;
}

double seconds_left(const StudyStatus& status) {
  double left = -1;
  const auto nearer = [&left](double candidate) {
    left = left < 0 ? std::max(0.0, candidate) : std::min(left, std::max(0.0, candidate));
  };
  const search::Budget& budget = status.problem->budget;
  if (budget.seconds > 0) nearer(budget.seconds - status.elapsed);
  if (budget.simulated_seconds > 0 && status.simulated > 0 && status.elapsed > 0) {
    nearer((budget.simulated_seconds - status.simulated) * status.elapsed / status.simulated);
  }
  const double rate = rate_of(status);
  if (rate > 0 && status.explores) {
    base::Wide trials = status.space_size;
    if (budget.trials > 0) trials = std::min<base::Wide>(trials, budget.trials);
    nearer((static_cast<double>(trials) - static_cast<double>(status.evaluations)) / rate);
  }
  return left;
}

std::string pace_text(const StudyStatus& status) {
  std::string text = format_duration(status.elapsed) + " elapsed";
  if (status.simulated > 0) text += " (" + format_duration(status.simulated) + " as recorded)";
  const double left = seconds_left(status);
  if (left >= 0) {
    text += status.explores ? ", " : ", at most ";
    text += format_duration(left) + " left";
  }
  if (status.evaluations > 0) text += fmt::format(", {} trials/s", format_number(rate_of(status)));
  return text;
}

std::string progress_line(const StudyStatus& status) {
  std::string text = one_line(status.activity);
  if (!text.empty()) text += "; ";
  text += trials_text(status) + "; best " + best_text(status);
  if (status.incumbent_ratio) text += "; accepted " + accepted_text(status);
  return text + "; " + pace_text(status);
}

std::string opening_line(const scheduler::ConfirmationSetup& setup) {
  const std::string trial = "trial " + std::to_string(setup.candidate.value);
  switch (setup.purpose) {
    case scheduler::Purpose::kSelfTest:
      return "self-test: the same configuration against itself, " +
             count_of(static_cast<std::uint64_t>(setup.pairs), "pair") + " on " +
             count_of(setup.devices.size(), "device");
    case scheduler::Purpose::kCanary:
      return "canary: a configuration known to be slower against the baseline";
    case scheduler::Purpose::kHoldOut:
      return "hold-out: " + trial + " against the baseline, " +
             count_of(static_cast<std::uint64_t>(setup.pairs), "new pair") + " on " +
             count_of(setup.devices.size(), "device");
    case scheduler::Purpose::kFinishing:
      return "finishing: " + trial + ", which is simpler, against the winner, trial " +
             std::to_string(setup.opponent.value);
    case scheduler::Purpose::kFront:
      return "front round: " + trial + " again, beside the baseline, " +
             count_of(static_cast<std::uint64_t>(setup.pairs), "pair") + " on " +
             count_of(setup.devices.size(), "device");
    case scheduler::Purpose::kDuel:
      break;
  }
  return "duel of " + trial + " with the " +
         (setup.opponent.value == 0 ? std::string("baseline")
                                    : "incumbent, trial " + std::to_string(setup.opponent.value));
}

bool measures(const scheduler::ConfirmationSetup& setup) {
  return setup.purpose != scheduler::Purpose::kFinishing || !setup.devices.empty();
}

std::string verdict_line(const scheduler::ConfirmationSetup& setup,
                         const scheduler::ConfirmationVerdict& verdict,
                         const search::Objective& objective) {
  const search::Acceptance& acceptance = verdict.verdict.acceptance;
  const std::string reason = one_line(search::reason_of(acceptance));
  const bool accepted = search::is_accepted(verdict.verdict);
  const std::string trial = "trial " + std::to_string(setup.candidate.value);
  const std::string figures =
      format_change(objective, verdict.verdict.ratio, verdict.verdict.interval);
  if (std::holds_alternative<search::Undecided>(acceptance)) {
    return std::string(name_of(setup.purpose)) + " undecided: " + reason;
  }
  switch (setup.purpose) {
    case scheduler::Purpose::kSelfTest:
    case scheduler::Purpose::kCanary:
      return std::string(name_of(setup.purpose)) + (accepted ? " passed: " : " FAILED: ") + reason;
    case scheduler::Purpose::kHoldOut:
      return trial + (accepted ? " confirmed on new data: " + figures
                               : " not confirmed on new data: " + reason);
    case scheduler::Purpose::kFinishing:
      return trial +
             (accepted ? " takes the winner's place: " : " does not take the winner's place: ") +
             reason;
    case scheduler::Purpose::kFront:
      return trial + " " + reason;
    case scheduler::Purpose::kDuel:
      break;
  }
  if (scheduler::was_handed_over(verdict.verdict))
    return trial + " goes on to the hold-out: " + reason;
  return trial + (accepted ? " accepted: " + figures : " rejected: " + reason);
}

std::string failure_line(const scheduler::ProposedTrial& trial,
                         const scheduler::FinishedTrial& result) {
  return "trial " + std::to_string(trial.id.value) + " " +
         std::string(search::status_name(result.report.outcome)) + ": " +
         one_line(search::describe(result.report.outcome));
}

}  // namespace nightshift::tools
