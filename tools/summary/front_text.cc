#include "tools/summary/front_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "scheduler/summary/front.h"
#include "search/pareto.h"
#include "search/scoring.h"
#include "tools/summary/spread.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using Member = scheduler::StudySummary::FrontMember;

constexpr std::size_t kShown = 12;
constexpr const char* kBaselineAlone =
    "nothing that was measured beats the baseline: of each configuration something is worse or "
    "nothing better";

// The most crowded ones are left out first; the order stays.
std::vector<const Member*> shown_of(const std::vector<Member>& front) {
  std::vector<search::ObjectivePoint> points;
  for (const Member& m : front) points.push_back(m.scores);
  std::vector<std::size_t> order(front.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<double> distance = search::crowding_distance(points, order);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distance[a] > distance[b]; });
  order.resize(std::min(order.size(), kShown));
  std::sort(order.begin(), order.end());
  std::vector<const Member*> shown;
  for (const std::size_t i : order) shown.push_back(&front[i]);
  return shown;
}

std::string interval_text(const scheduler::StudySummary::Figure& figure) {
  const std::string value = format_value(figure.value, figure.unit);
  return tells_spread(figure.interval) ? value + " " + format_interval(figure.interval, "") : value;
}

std::vector<std::string> heading(const search::Scoring& scoring) {
  std::vector<std::string> row = {"trial"};
  for (std::size_t i = 0; i < scoring.all().size(); ++i) {
    row.push_back(one_line(scoring.all()[i].name));
    if (scoring.is_sought(i)) row.emplace_back("vs baseline");
  }
  row.emplace_back("measured");
  row.emplace_back("configuration");
  return row;
}

std::vector<std::string> row_of(const Member& member, const search::Problem& problem,
                                const search::Scoring& scoring) {
  std::vector<std::string> row = {std::to_string(member.contender.trial.value)};
  std::size_t axis = 0;
  for (std::size_t i = 0; i < scoring.all().size(); ++i) {
    const auto& figures = member.contender.figures;
    row.push_back(i < figures.size() ? interval_text(figures[i]) : "-");
    if (scoring.is_sought(i)) {
      row.push_back(difference_text(problem, i, member.scores[axis++]));
    }
  }
  row.push_back(member.pairs == 0 ? "once"
                                  : count_of(static_cast<std::uint64_t>(member.pairs), "pair"));
  row.push_back(format_configuration(member.contender.configuration));
  return row;
}

// What is to be said below them goes to `left_out`.
Rows front_rows(const scheduler::StudySummary& summary, const search::Problem& problem,
                std::string& left_out) {
  if (summary.front.empty()) {
    if (summary.baseline_on_front) left_out = kBaselineAlone;
    return {};
  }
  const search::Scoring scoring(problem);
  Rows rows = {heading(scoring)};
  const std::vector<const Member*> shown = shown_of(summary.front);
  for (const Member* member : shown) rows.push_back(row_of(*member, problem, scoring));
  // What never varies is as well known by one evaluation.
  const auto is_single = [](const Member& member) {
    return member.pairs == 0 && std::ranges::any_of(member.scores, [](const search::Score& s) {
             return s.standard_error > 0;
           });
  };
  const auto single = std::ranges::count_if(summary.front, is_single);
  if (scheduler::measures_front_again(problem) && single > 0) {
    left_out = fmt::format("{} measured once and not again, and may be there by luck",
                           single == 1 ? "1 of them was" : fmt::format("{} of them were", single));
  }
  if (summary.baseline_on_front) {
    left_out += (left_out.empty() ? "" : "; ");
    left_out += "the baseline is on it as well: no configuration is nowhere worse than it";
  }
  if (shown.size() < summary.front.size()) {
    left_out += (left_out.empty() ? "" : "; ");
    left_out += "... and " + format_count(summary.front.size() - shown.size()) +
                " more: `nightshift export --format csv` has them all";
  }
  return rows;
}

}  // namespace

std::string difference_text(const search::Problem& problem, std::size_t objective,
                            const search::Score& score) {
  if (search::Scoring(problem).is_change(objective)) {
    return "changed by " + format_number(score.value - 1);
  }
  const bool minimised = problem.objectives[objective].direction == search::Direction::kMinimise;
  const double ratio = minimised ? score.value : 1 / score.value;
  return format_signed_percent(ratio - 1);
}

std::vector<Block> front_blocks(const scheduler::StudySummary& summary,
                                const search::Problem& problem) {
  std::string left_out;
  Table members{front_rows(summary, problem, left_out)};
  members.told = 1;
  return {std::move(members), Paragraph{left_out}};
}

std::string objective_text(const search::Objective& o) {
  std::string text =
      one_line(o.name) + (o.unit.empty() ? "" : " in " + one_line(o.unit)) +
      (o.direction == search::Direction::kMinimise ? ", lower is better" : ", higher is better");
  constexpr const char* kRoles[] = {"", ", the time", ", the size", ", the accuracy"};
  text += kRoles[static_cast<std::size_t>(o.role)];
  if (o.weight) text += ", weight " + format_number(*o.weight);
  if (o.at_least) text += ", at least " + format_value(*o.at_least, o.unit);
  if (o.at_most) text += ", at most " + format_value(*o.at_most, o.unit);
  return text;
}

}  // namespace nightshift::tools
