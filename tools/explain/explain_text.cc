#include "tools/explain/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "scheduler/clock.h"
#include "scheduler/summary/front.h"
#include "scheduler/trials/tolerance_advice.h"
#include "search/evaluation_figure.h"
#include "search/pareto.h"
#include "search/scoring.h"
#include "search/statistics/summary.h"
#include "tools/summary/confirmation_text.h"
#include "tools/summary/front_text.h"
#include "tools/summary/history_lookup.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using scheduler::TrialRecord;
using search::JobKind;

std::string number_of(search::TrialId id) { return std::to_string(id.value); }

class ExplainText {
 public:
  ExplainText(const History& history, const search::Problem& problem, const TrialRecord& trial)
      : history_(history),
        problem_(problem),
        trial_(trial),
        scoring_(problem),
        searcher_(problem.scheduling.searcher.empty()
                      ? "the searcher"
                      : "the searcher '" + problem.scheduling.searcher + "'") {}

  std::string text() {
    head();
    timeline();
    if (trial_.finished) {
      outcome();
      samples();
      cost();
      score();
    } else {
      say("It has not finished: the run ended, or is still under way, while it was in hand. "
          "`nightshift resume` takes it up again.");
    }
    confirmations();
    return text_;
  }

 private:
  const search::Objective& objective() const { return scoring_.primary(); }
  void say(const std::string& sentence) { text_ += paragraph(sentence, 0); }
  void title(const std::string& name) { text_ += "\n" + name + "\n"; }

  std::string unit_of(const std::string& objective) const {
    for (const search::Objective& o : problem_.objectives) {
      if (o.name == objective) return o.unit;
    }
    return "";
  }

  void head() {
    const scheduler::ProposedTrial& p = trial_.proposed;
    text_ += "Trial " + number_of(p.id) + " of the study of " +
             one_line(history_.header.problem_name) + "\n\n";
    switch (p.job) {
      case JobKind::kExplore: {
        if (scheduler::is_of_finishing(p)) {
          say("An explore job of a finishing round: simpler than trial " + number_of(p.candidate) +
              ", which won the last duel.");
          break;
        }
        std::string place = p.index ? "configuration " + format_count(p.index->value) +
                                          " of the space, counted from 0; "
                                    : "";
        say("An explore job (" + place + "proposed by " + searcher_ +
            (problem_.scheduling.searcher.empty()
                 ? ""
                 : " with seed " + std::to_string(problem_.scheduling.seed)) +
            ").");
        break;
      }
      case JobKind::kBaseline:
        say("A baseline job: the reference configuration, measured on " + p.device +
            " before anything else there.");
        break;
      case JobKind::kRebaseline:
        say("A rebaseline job: the reference configuration, measured again on " + p.device +
            " to see whether the device drifts.");
        break;
      case JobKind::kConfirm:
        say("A confirm job: the " + std::string(name_of(p.arm)) + " in round " +
            std::to_string(p.round) + " of confirmation " + std::to_string(p.confirmation.value) +
            ", a " + std::string(scheduler::name_of(purpose_of(p.confirmation))) +
            (p.candidate.value == 0 ? "." : " of trial " + number_of(p.candidate) + "."));
        break;
    }
    say("Configuration: " + format_configuration(p.configuration));
    if (p.configuration.is_baseline()) {
      const search::Configuration meant = search::resolved(problem_, p.configuration);
      if (!meant.is_baseline()) say("which stands for: " + format_configuration(meant));
    }
  }

  scheduler::Purpose purpose_of(search::ConfirmationId id) const {
    const scheduler::ConfirmationSetup* setup = scheduler::find_confirmation(history_, id);
    return setup == nullptr ? scheduler::Purpose::kDuel : setup->purpose;
  }

  static std::string after(double start, double at) {
    return fmt::format("+{:.3f} s", scheduler::recorded_seconds(start, at));
  }

  void timeline() {
    if (trial_.changes.empty()) return;
    title("What happened");
    const bool told = trial_.changes.front().state == scheduler::TrialState::kProposed;
    const double start = told ? trial_.changes.front().at : trial_.proposed_at;
    Rows rows;
    if (!told) rows.push_back({format_clock_time(start), "+0.000 s", "proposed"});
    for (const scheduler::StateChange& c : trial_.changes) {
      std::string what(name_of(c.state));
      if (c.attempt > 1) what += " (attempt " + std::to_string(c.attempt) + ")";
      if (!c.device.empty()) what += " on " + c.device;
      if (!c.detail.empty()) what += ": " + one_line(c.detail);
      rows.push_back({format_clock_time(c.at), after(start, c.at), what});
    }
    if (trial_.finished && trial_.changes.back().state != scheduler::TrialState::kFinished) {
      const double end = trial_.finished->finished;
      rows.push_back(
          {format_clock_time(end), after(start, end),
           "finished: " + std::string(search::status_name(trial_.finished->report.outcome))});
    }
    text_ += table(rows, 2);
  }

  void outcome() {
    const scheduler::FinishedTrial& f = *trial_.finished;
    title("How it ended");
    std::string sentence = "Status: " + std::string(search::status_name(f.report.outcome));
    if (!f.device.empty()) sentence += ", on " + f.device;
    sentence +=
        ", at " + format_date(f.finished) + " after " + count_of(f.attempts, "attempt") + ".";
    say(sentence);
    if (!f.artifact.empty()) say("Artifact: " + f.artifact + ".");
    if (const auto* skipped = std::get_if<search::Skipped>(&f.report.outcome)) {
      say("It was built to the same machine code as trial " + number_of(skipped->same_as) +
          ", which speaks for it.");
    } else if (search::is_failure(f.report.outcome)) {
      failure(f.report.outcome);
    } else if (!f.beyond_limits.empty()) {
      say("It " + one_line(f.beyond_limits) + ". So it is no candidate, however good the rest is.");
    }
  }

  void failure(const search::TrialOutcome& outcome) {
    const auto why = [&] {
      say("Why: " +
          one_line(search::describe(outcome) + scheduler::tolerance_advice(problem_, outcome)));
    };
    std::visit(base::Overloaded{
                   [&](const search::Measured&) {},
                   [&](const search::BuildFailed& build) {
                     text_ += "The build said:\n" + block(build.message, 4);
                   },
                   [&](const search::LaunchFailed& launch) {
                     text_ += "It said:\n" + block(launch.message, 4);
                   },
                   [&](const search::WrongResult& wrong) {
                     why();
                     const bool is_ours = wrong.message.starts_with(
                         wrong.output + "[" + std::to_string(wrong.element) + "] is ");
                     if (!wrong.message.empty() && !is_ours)
                       text_ += "It said:\n" + block(wrong.message, 4);
                   },
                   [&](const search::TimedOut&) { why(); },
                   [&](const search::Crashed& crash) { crashed(crash); },
                   [&](const search::DeviceLost&) { why(); },
                   [&](const search::Skipped&) {},
               },
               outcome);
  }

  void crashed(const search::Crashed& crash) {
    search::Crashed without_words = crash;
    without_words.last_words.clear();
    say("Why: " + one_line(search::describe(without_words)));
    say("Phase: " + std::string(search::name_of(crash.phase)) + ".");
    if (!crash.last_words.empty()) text_ += "Its last words:\n" + block(crash.last_words, 4);
  }

  void cases(const search::Samples& samples, const std::string& unit) {
    Rows rows;
    for (std::size_t i = 0; i < samples.cases.size(); ++i) {
      const auto& names = problem_.cases.names;
      const search::Summary summary = search::summarise(samples.cases[i]);
      rows.push_back({"case " + (i < names.size() ? one_line(names[i]) : std::to_string(i)),
                      "median " + format_value(summary.median, unit) + " (standard error " +
                          format_value(summary.median_error, unit) + ")"});
    }
    text_ += table(rows, 4);
  }

  void samples() {
    const auto* measured = std::get_if<search::Measured>(&trial_.finished->report.outcome);
    if (measured == nullptr) return;
    title("What was measured");
    for (const search::Samples& s : measured->measurement.figures) {
      const search::Summary summary = search::summarise(s.values);
      const std::string unit = unit_of(s.objective);
      std::string sentence = one_line(s.objective) + ": " + count_of(summary.count, "sample") +
                             ", median " + format_value(summary.median, unit) +
                             " (standard error " + format_value(summary.median_error, unit) +
                             "), from " + format_value(summary.min, unit) + " to " +
                             format_value(summary.max, unit);
      if (search::is_difference(objective()) && s.objective == objective().name) {
        sentence += ", spread " + format_value(summary.mad, unit);
      } else if (summary.median != 0) {
        sentence += ", spread " + format_percent(summary.mad / std::abs(summary.median));
      }
      text_ += paragraph(sentence, 2);
      cases(s, unit);
    }
    if (measured->measurement.censored) {
      text_ += paragraph("Given up after these, as they are far beyond the best so far.", 2);
    }
    if (const std::string& why = measured->measurement.disturbance; !why.empty()) {
      text_ += paragraph("Disturbed: " + one_line(why), 2);
    }
    std::string conditions;
    for (const auto& [name, value] : measured->measurement.conditions) {
      conditions += (conditions.empty() ? "" : ", ") + name + " " + value;
    }
    if (!conditions.empty()) text_ += paragraph("Conditions: " + one_line(conditions), 2);
  }

  void cost() {
    const search::TrialCost& c = trial_.finished->report.cost;
    std::string parts;
    const auto add = [&parts](const char* name, double seconds) {
      if (seconds > 0)
        parts += (parts.empty() ? "" : ", ") + std::string(name) + " " + format_value(seconds, "s");
    };
    add("build", c.build);
    add("check", c.check);
    add("measurement", c.measure);
    add("as recorded", c.simulated);
    if (!parts.empty()) say("Time spent: " + parts + ".");
  }

  // The baseline that the score was taken against follows from value and score themselves.
  void score() {
    const scheduler::FinishedTrial& f = *trial_.finished;
    title("What it is worth");
    if (f.normalised && f.value && scoring_.judged() == objective()) {
      const bool smaller = objective().direction == search::Direction::kMinimise;
      const double factor = smaller ? f.normalised->value : 1 / f.normalised->value;
      const double baseline = search::is_difference(objective())
                                  ? *f.value - std::log(factor) * objective().difference_scale
                                  : *f.value / factor;
      say(fmt::format(
          "Score {} +- {}: {} {} against the baseline's {} on {}; 1 is the baseline, "
          "lower is better. That is {}.",
          format_number(f.normalised->value), format_number(f.normalised->standard_error),
          one_line(objective().name), format_value(*f.value, objective().unit),
          format_value(baseline, objective().unit), f.device,
          format_change(objective(), f.normalised->value)));
      baselines_before();
    } else if (f.normalised && f.value) {
      say(fmt::format(
          "Score {} +- {}, the {} over the baseline's on {}; 1 is the baseline, lower "
          "is better. That is {}.",
          format_number(f.normalised->value), format_number(f.normalised->standard_error),
          scoring_.judged().direction == search::Direction::kMinimise
              ? "candidate's " + one_line(scoring_.judged().name)
              : "inverse of its " + one_line(scoring_.judged().name),
          f.device, format_change(scoring_.judged(), f.normalised->value)));
      baselines_before();
    } else if (f.normalised) {
      say("Score " + format_number(f.normalised->value) +
          ", 1 being the baseline; lower is better.");
    } else {
      say(f.beyond_limits.empty() ? "No score." : "No score, as it is beyond a limit.");
    }
    if (trial_.proposed.job == JobKind::kExplore) front();
    if (trial_.proposed.job == JobKind::kExplore) {
      say(f.normalised ? "It was told to " + searcher_ + " with this score."
                       : "It was told to " + searcher_ + " as one that does not work.");
    }
  }

  void front() {
    const auto point = scheduler::front_point(history_, problem_, trial_.proposed.id);
    if (!point) return;
    const search::ObjectivePoint& scores = point->scores;
    Rows rows;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::size_t at = scoring_.sought()[i];
      rows.push_back({one_line(scoring_.all()[at].name), difference_text(problem_, at, scores[i]),
                      "score " + format_number(scores[i].value) + " +- " +
                          format_number(scores[i].standard_error)});
    }
    say("Each objective against the baseline" +
        (point->pairs.empty() ? std::string(":")
                              : ", as it was measured again, in " +
                                    count_of(point->pairs.size(), "pair") + " with it:"));
    text_ += table(rows, 2);
    const auto [members, has_baseline] = scheduler::front_of(history_, problem_);
    const bool on_front = std::any_of(members.begin(), members.end(), [&](const auto& member) {
      return member.contender.trial == trial_.proposed.id;
    });
    say(on_front ? "It is on the Pareto front of " + count_of(members.size(), "configuration") +
                       (has_baseline ? " and the baseline." : ".")
                 : "It is not on the Pareto front" + who_is_instead(scores, members));
  }

  std::string who_is_instead(
      const search::ObjectivePoint& scores,
      const std::vector<scheduler::StudySummary::FrontMember>& members) const {
    const double sigmas = scheduler::front_sigmas(problem_);
    std::vector<std::pair<std::string, search::ObjectivePoint>> others = {
        {"the baseline", search::ObjectivePoint(scores.size(), search::Score{1, 0})}};
    for (const auto& m : members) {
      others.emplace_back("trial " + number_of(m.contender.trial), m.scores);
    }
    for (const auto& [who, theirs] : others) {
      if (search::dominates(theirs, scores, sigmas)) {
        return ": " + who + " is nowhere worse and somewhere " +
               (sigmas > 0 ? "clearly better." : "better.");
      }
      if (sigmas == 0 && search::equal_values(theirs, scores)) {
        return ": " + who + " equals it in everything.";
      }
    }
    return ".";
  }

  void baselines_before() {
    std::string trials;
    for (const TrialRecord& t : history_.trials) {
      const bool reference =
          t.proposed.job == JobKind::kBaseline || t.proposed.job == JobKind::kRebaseline;
      if (!reference || !t.finished || !t.finished->value ||
          t.finished->device != trial_.finished->device ||
          t.finished->finished > trial_.finished->finished) {
        continue;
      }
      trials += (trials.empty() ? "trial " : ", trial ") + number_of(t.proposed.id) + " (" +
                format_value(*t.finished->value, objective().unit) + ")";
    }
    if (!trials.empty()) say("Baselines measured there until then: " + trials + ".");
  }

  void confirmations() {
    const scheduler::ProposedTrial& p = trial_.proposed;
    for (const scheduler::ConfirmationSetup& setup : history_.confirmations) {
      const bool mine =
          p.job == JobKind::kConfirm ? setup.id == p.confirmation : setup.candidate == p.id;
      if (!mine) continue;
      title(confirmation_title(setup));
      text_ += confirmation_text(history_, problem_, setup);
    }
  }

  const History& history_;
  const search::Problem& problem_;
  const TrialRecord& trial_;
  const search::Scoring scoring_;
  const std::string searcher_;
  std::string text_;
};

}  // namespace

std::optional<std::string> retell(const History& history, const search::Problem& problem,
                                  search::TrialId trial) {
  const TrialRecord* record = find_trial(history, trial);
  if (record == nullptr) return std::nullopt;
  return ExplainText(history, problem, *record).text();
}

}  // namespace nightshift::tools
