#include "tools/explain/parameter_blame.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/summary/study_standing.h"
#include "search/scoring.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/measured_elsewhere.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::ConfirmationSetup;
using scheduler::ConfirmationVerdict;
using scheduler::Purpose;
using scheduler::TrialRecord;
using search::Configuration;

class Blame {
 public:
  Blame(const scheduler::History& history, const search::Problem& problem, std::string study)
      : history_(history),
        scoring_(problem),
        study_(std::move(study)),
        is_elsewhere_(is_measured_elsewhere(problem)) {
    usual_ = search::resolved(problem, {});
    is_baseline_ = search::baseline_configuration(problem).has_value();
    usual_name_ = is_baseline_ ? "baseline" : "default";
  }

  std::string text() {
    find_winner();
    if (winner_ == nullptr) {
      return paragraph("No duel has accepted anything: nothing is faster than the baseline.", 0);
    }
    const Configuration& best = winner_->proposed.configuration;
    Rows rows = {{"parameter", "winner", usual_name_, "going back alone makes it", "by"}};
    for (const auto& [name, value] : best.entries()) {
      const search::Value* usual = usual_.find(name);
      if (usual == nullptr || search::same_value(value, *usual)) continue;
      changed_.push_back(name);
      const Effect effect = effect_of(with_back(name));
      rows.push_back(
          {name, search::to_text(value), search::to_text(*usual), effect.words, effect.by});
      if (!effect.is_settled) unsettled_.push_back(name);
    }
    const std::string number = std::to_string(winner_->proposed.id.value);
    if (changed_.empty()) {
      return paragraph("Trial " + number + ", which won the last duel, has every value of the " +
                           usual_name_ + ".",
                       0);
    }
    std::string text =
        paragraph(fmt::format("Trial {} won the last duel. It differs from the {} in {}:", number,
                              usual_name_, count_of(changed_.size(), "parameter")),
                  0);
    text += "\n" + table(rows, 2) + rounds() + outcome();
    if (!unsettled_.empty()) text += commands();
    return text;
  }

 private:
  struct Effect {
    std::string words, by;
    bool is_settled = false;  // by pairs, or because nothing is to be measured
  };

  void find_winner() {
    for (const ConfirmationVerdict& v : history_.verdicts) {
      if (purpose_of(history_, v) != Purpose::kDuel || !search::is_accepted(v.verdict)) continue;
      winner_ = find_trial(history_, v.candidate);
      duel_ = &v;
      log_ratio_ += std::log(v.verdict.ratio);
    }
    for (const ConfirmationVerdict& v : history_.verdicts) {
      const ConfirmationSetup* setup = find_confirmation(history_, v.id);
      const bool mine = setup != nullptr && winner_ != nullptr &&
                        setup->purpose == Purpose::kFinishing &&
                        setup->opponent == winner_->proposed.id;
      if (mine) rounds_.push_back(&v);
    }
  }

  Configuration with_back(const std::string& name) const {
    Configuration configuration = winner_->proposed.configuration;
    configuration.set(name, *usual_.find(name));
    return configuration;
  }

  const TrialRecord* trial_of(const Configuration& configuration) const {
    for (const TrialRecord& t : history_.trials) {
      const bool explored = t.proposed.job == search::JobKind::kExplore && t.finished;
      if (explored && t.proposed.configuration == configuration) return &t;
    }
    return nullptr;
  }

  std::string change(double ratio, const search::Interval& interval) const {
    return change_text(scoring_.judged(), ratio, interval);
  }

  // Of all that the winner gains: `configuration` is the baseline, which its duel has measured.
  std::optional<Effect> duel_with(const Configuration& configuration) const {
    if (!is_baseline_ || duel_ == nullptr || !(configuration == usual_)) return std::nullopt;
    const ConfirmationSetup* setup = find_confirmation(history_, duel_->id);
    if (setup == nullptr || setup->opponent.value != 0) return std::nullopt;
    const search::Interval& was = duel_->verdict.interval;
    const search::Interval back{1 / was.high, 1 / was.low, was.confidence};
    return Effect{change(1 / duel_->verdict.ratio, back),
                  "pairs of confirmation " + std::to_string(duel_->id.value), true};
  }

  Effect effect_of(const Configuration& configuration) const {
    if (const auto known = duel_with(configuration)) return *known;
    const TrialRecord* trial = trial_of(configuration);
    if (trial == nullptr) return {"", "not tried", false};
    const std::string number = "trial " + std::to_string(trial->proposed.id.value);
    for (const ConfirmationVerdict* round : rounds_) {
      if (round->candidate != trial->proposed.id || round->verdict.devices.empty()) continue;
      return {change(round->verdict.ratio, round->verdict.interval),
              "pairs of confirmation " + std::to_string(round->id.value), true};
    }
    const search::TrialOutcome& outcome = trial->finished->report.outcome;
    const auto* twin = std::get_if<search::Skipped>(&outcome);
    if (twin != nullptr && twin->same_as == winner_->proposed.id) {
      return {"nothing", "equal machine code, " + number, true};
    }
    if (search::is_failure(outcome)) {
      return {"fail", number + ": " + std::string(search::status_name(outcome)), true};
    }
    const auto& score = trial->finished->normalised;
    if (!score || !(score->value > 0)) {
      return {"", number + ": " + one_line(trial->finished->beyond_limits), true};
    }
    const double ratio = score->value / std::exp(log_ratio_);
    // No interval: what differs between evaluations is not in one of them.
    return {format_change(scoring_.judged(), ratio), "one evaluation, " + number, false};
  }

  // Which of the changed parameters have the usual value there.
  std::string back_in(const Configuration& configuration) const {
    std::string names;
    for (const std::string& name : changed_) {
      const search::Value* value = configuration.find(name);
      if (value == nullptr || !search::same_value(*value, *usual_.find(name))) continue;
      names += (names.empty() ? "" : ", ") + name;
    }
    return names;
  }

  // Of rounds of equal machine code, each of which has those before it in it, the last.
  std::string rounds() const {
    std::string text;
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      const ConfirmationVerdict* round = rounds_[i];
      const TrialRecord* trial = find_trial(history_, round->candidate);
      if (trial == nullptr) continue;
      const bool pairs = !round->verdict.devices.empty();
      if (!pairs && i + 1 < rounds_.size() && rounds_[i + 1]->verdict.devices.empty()) continue;
      text += paragraph(
          fmt::format("Confirmation {}: {} back: {}{}.", round->id.value,
                      back_in(trial->proposed.configuration),
                      pairs ? change(round->verdict.ratio, round->verdict.interval) + "; " : "",
                      one_line(search::reason_of(round->verdict.acceptance))),
          2);
    }
    return text.empty() ? "" : "\nFinishing rounds\n" + text;
  }

  std::string outcome() const {
    const TrialRecord* last = find_trial(history_, scheduler::winner_of(history_).trial);
    if (last == nullptr || last == winner_) return "";
    return "\n" +
           paragraph(fmt::format("What is handed over, trial {}, has the value of the {} in {}.",
                                 last->proposed.id.value, usual_name_,
                                 back_in(last->proposed.configuration)),
                     0);
  }

  // The winner, but for the usual value of one parameter.
  std::string contender(const std::string& without) const {
    std::string words;
    for (const std::string& name : changed_) {
      if (name != without) words += (words.empty() ? "" : ",") + assignment(name, winner());
    }
    if (!words.empty()) return shell_word(words);
    return is_baseline_ ? "baseline" : shell_word(assignment(without, usual_));
  }

  const Configuration& winner() const { return winner_->proposed.configuration; }

  static std::string assignment(const std::string& name, const Configuration& of) {
    return name + "=" + search::to_text(*of.find(name));
  }

  // Of the study, which has the settings that it measured with. Nothing here measures what is
  // measured elsewhere.
  std::string commands() const {
    if (is_elsewhere_) return "";
    std::string text =
        "\n" + paragraph("One evaluation says little. In pairs, against the winner as a whole:", 0);
    std::string line = "  nightshift compare " + shell_word(study_) + " " + contender("");
    for (const std::string& name : unsettled_) line += " " + contender(name);
    return text + line + "\n";
  }

  const scheduler::History& history_;
  const search::Scoring scoring_;
  Configuration usual_;
  std::string usual_name_;
  bool is_baseline_ = false;  // usual_; where that is another program it is the defaults
  const std::string study_;
  const bool is_elsewhere_;
  const TrialRecord* winner_ = nullptr;
  const ConfirmationVerdict* duel_ = nullptr;  // that it won
  double log_ratio_ = 0;                       // of the winner, over the baseline
  std::vector<const ConfirmationVerdict*> rounds_;
  std::vector<std::string> changed_, unsettled_;
};

}  // namespace

std::string parameter_blame(const scheduler::History& history, const search::Problem& problem,
                            const std::string& study) {
  return Blame(history, problem, study).text();
}

}  // namespace nightshift::tools
