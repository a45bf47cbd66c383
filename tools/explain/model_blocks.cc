#include "tools/explain/model_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kDrawn = 8;      // parameters whose values have a chart
constexpr std::size_t kMostBars = 16;  // parameters and pairs beside each other
constexpr double kLeastShare = 0.01;   // of a pair that is told
constexpr std::size_t kMostPairs = 8;

std::string name_of(const StudyModel::Pair& pair) { return pair.first + " with " + pair.second; }

std::vector<StudyModel::Pair> told_pairs(const StudyModel& model) {
  std::vector<StudyModel::Pair> pairs;
  for (const StudyModel::Pair& pair : model.pairs) {
    if (pair.share >= kLeastShare && pairs.size() < kMostPairs) pairs.push_back(pair);
  }
  return pairs;
}

ChartBox bar(const std::string& label, double share) {
  return {label, format_percent(share), 0, share, share, share};
}

Chart bars_of(const StudyModel& model) {
  BoxChart chart{{"Share of the variance", "share", ""}, {}, {0, 0}};
  for (const StudyModel::Part& part : model.parts) {
    if (chart.boxes.size() < kMostBars) chart.boxes.push_back(bar(part.parameter, part.share));
  }
  for (const StudyModel::Pair& pair : told_pairs(model)) {
    if (chart.boxes.size() < kMostBars) chart.boxes.push_back(bar(name_of(pair), pair.share));
  }
  return chart;
}

Chart values_of(const StudyModel::Part& part, ChartSpan span) {
  BoxChart chart{{part.parameter + ": " + format_percent(part.share) + " of the variance",
                  "expected score, times the baseline's", ""},
                 {},
                 span};
  for (const StudyModel::ValueScore& v : part.values) {
    chart.boxes.push_back({v.label, format_number(v.score), v.low, v.score, v.high, v.score});
  }
  return chart;
}

ChartSpan span_of(const StudyModel& model) {
  ChartSpan span{model.best, model.best};
  for (const StudyModel::Part& part : model.parts) {
    for (const StudyModel::ValueScore& v : part.values) {
      span.low = std::min(span.low, v.low);
      span.high = std::max(span.high, v.high);
    }
  }
  return span;
}

// "64 (0.81), 128 (0.93), ...", the best first.
std::string values_text(const StudyModel::Part& part) {
  constexpr std::size_t kMost = 6;
  std::vector<StudyModel::ValueScore> values = part.values;
  std::ranges::stable_sort(values, {}, &StudyModel::ValueScore::score);
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + values[i].label + " (" + format_number(values[i].score) + ")";
  }
  return text + (values.size() > kMost ? ", ..." : "");
}

Rows part_rows(const StudyModel& model) {
  Rows rows = {{"parameter", "alone", "values by expected score, 1 being the baseline"}};
  for (const StudyModel::Part& part : model.parts) {
    rows.push_back({part.parameter, format_percent(part.share), values_text(part)});
  }
  return rows;
}

Rows pair_rows(const StudyModel& model) {
  Rows rows;
  for (const StudyModel::Pair& pair : told_pairs(model)) {
    rows.push_back({name_of(pair), format_percent(pair.share)});
  }
  return with_heading({"together", "beyond each alone"}, std::move(rows));
}

std::string method_text(const StudyModel& model) {
  std::string text =
      "Shares of the variance of the score's logarithm, over all combinations of values alike, by "
      "the trees of the forest (functional analysis of variance): what a parameter does alone, and "
      "two of them beyond that.";
  text += " The rest, " + format_percent(model.rest) + ", takes more than two, or others.";
  if (model.fitted < model.scored) {
    text += fmt::format(" The forest was fitted to a sample of {} of {} configurations.",
                        format_count(model.fitted), format_count(model.scored));
  }
  if (model.failed > 0) {
    text += fmt::format(" {} that failed or went beyond a limit {} left out.",
                        count_of(model.failed, "configuration"), model.failed == 1 ? "is" : "are");
  }
  return text;
}

std::string configuration_words(const search::Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration.entries()) {
    text += (text.empty() ? "" : " ") + name + "=" + format_choice(value);
  }
  return text;
}

std::string advice_text(const StudyModel& model) {
  if (!model.was_advised || !model.doubt.empty()) return "";
  if (!model.advice) {
    return "There is no configuration left that was not tried and is likely to work.";
  }
  const StudyModel::Advice& advice = *model.advice;
  const std::string best = format_number(model.best);
  return fmt::format(
      "Not measured, and expected to be the best of these: {}. Expected score {} ({} was measured, "
      "{}), with a chance of {} to work. That is a guess: measure it before you believe it.",
      configuration_words(advice.configuration), format_number(advice.score), best,
      advice.score < model.best ? "so it may be better" : "so it is not expected to be better",
      format_percent(advice.works));
}

}  // namespace

std::string quality_text(const StudyModel& model) {
  if (!model.has_shares) return model.doubt;
  return fmt::format(
      "A forest fitted to {} foretells {} of the variance of those that it has not seen (rank "
      "correlation {}).",
      count_of(model.fitted, "configuration"),
      format_percent(std::max(0.0, model.quality.explained)),
      format_number(model.quality.rank_correlation));
}

std::vector<Block> model_blocks(const StudyModel& model) {
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{quality_text(model)});
  if (!model.has_shares) return blocks;
  if (!model.doubt.empty()) blocks.emplace_back(Paragraph{model.doubt});
  blocks.emplace_back(Paragraph{method_text(model)});
  Charts charts;
  charts.charts.push_back(bars_of(model));
  const ChartSpan span = span_of(model);
  for (const StudyModel::Part& part : model.parts) {
    if (charts.charts.size() <= kDrawn) charts.charts.push_back(values_of(part, span));
  }
  charts.lines = table(part_rows(model), 0);
  charts.caption =
      "Of each value: the expected score over all values of the others, and the middle half of the "
      "trees; 1 is the baseline, lower is better.";
  blocks.emplace_back(std::move(charts));
  blocks.emplace_back(Table{pair_rows(model)});
  blocks.emplace_back(Paragraph{advice_text(model)});
  return blocks;
}

std::string model_json(const StudyModel& model) {
  ordered_json object;
  object["scored"] = model.scored;
  object["fitted"] = model.fitted;
  object["failed"] = model.failed;
  object["doubt"] = model.doubt;
  object["explained"] = model.has_shares ? number_json(model.quality.explained) : nullptr;
  object["rank_correlation"] =
      model.has_shares ? number_json(model.quality.rank_correlation) : nullptr;
  object["parameters"] = ordered_json::array();
  for (const StudyModel::Part& part : model.parts) {
    ordered_json values = ordered_json::array();
    for (const StudyModel::ValueScore& v : part.values) {
      values.push_back({{"value", v.label},
                        {"score", number_json(v.score)},
                        {"low", number_json(v.low)},
                        {"high", number_json(v.high)}});
    }
    object["parameters"].push_back(
        {{"name", part.parameter}, {"share", number_json(part.share)}, {"values", values}});
  }
  object["pairs"] = ordered_json::array();
  for (const StudyModel::Pair& pair : model.pairs) {
    object["pairs"].push_back(
        {{"parameters", {pair.first, pair.second}}, {"share", number_json(pair.share)}});
  }
  object["rest"] = number_json(model.rest);
  object["best_score"] = number_json(model.best);
  object["advice"] = nullptr;
  if (model.advice) {
    object["advice"] = {
        {"configuration", ordered_json::parse(model.advice->configuration.to_json())},
        {"score", number_json(model.advice->score)},
        {"works", number_json(model.advice->works)}};
  }
  return object.dump(2) + "\n";
}

}  // namespace nightshift::tools
