#include "tools/bench/search/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/bench/search/score.h"
#include "tools/text/format.h"

namespace nightshift::bench {
namespace {

using Rows = std::vector<std::vector<std::string>>;

double half_width(const Estimate& e) {
  const search::Interval interval = e.interval();
  return (interval.high - interval.low) / 2;
}

std::string plus_minus(const Estimate& e) { return fmt::format("+-{:.3f}", half_width(e)); }

// Evaluations until something: '-' where it was not reached in half of the runs.
std::string count_text(double evaluations) {
  return std::isinf(evaluations) ? "-" : fmt::format("{:.0f}", evaluations);
}

std::string count_interval(const Estimate& e) {
  const search::Interval interval = e.interval();
  return fmt::format("[{}, {}]", count_text(interval.low), count_text(interval.high));
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string overhead_text(const std::optional<Overhead>& overhead) {
  if (!overhead) return "";
  return seconds_text(overhead->mean) + " / " + seconds_text(overhead->p99);
}

std::string memory_text(const SearcherResult& searcher) {
  if (!searcher.memory) return "";
  return fmt::format("{:.1f} MB", static_cast<double>(*searcher.memory) / 1e6);
}

std::string title_of(const Results& results, const Group& group, const Options& options) {
  if (group.kind != Group::Kind::kSpace) {
    return group.name + (group.kind == Group::Kind::kKernel
                             ? fmt::format(", {} spaces", group.members.size())
                             : "");
  }
  const ReplaySpace& space = results.spaces[group.members.front()];
  const std::size_t budget = evaluations_to_share(space.sorted_values(), 0.95);
  const EvaluationScore score(space.sorted_values(), options.replay.budget);
  return fmt::format(
      "{}: {} configurations, {} failures, optimum {:.5g}, 95 % budget {} evaluations; uniform "
      "drawing scores {:.3f}",
      group.name, space.size(), space.failures(), space.optimum(), budget,
      score.expected_for_random(space.sorted_values(), space.failures()));
}

std::string name_in(const SearcherResult& searcher, const Group& group) {
  const std::size_t ran = coverage(searcher, group);
  if (ran == group.members.size()) return searcher.name;
  return fmt::format("{} ({} of {} spaces)", searcher.name, ran, group.members.size());
}

void add_fractions(Rows& rows, const std::string& name, const Figures& f) {
  std::vector<std::string> values{name}, errors{"  95 %"};
  for (const FractionFigures& at : f.at) {
    values.push_back(fmt::format("{:.3f} / {:.3f} / {:.3f}", at.median.value, at.mean.value,
                                 at.lowest_tenth.value));
    errors.push_back(fmt::format("+-{:.3f} +-{:.3f} +-{:.3f}", half_width(at.median),
                                 half_width(at.mean), half_width(at.lowest_tenth)));
  }
  rows.push_back(std::move(values));
  rows.push_back(std::move(errors));
}

void add_others(Rows& rows, const std::string& name, const SearcherResult& searcher,
                const Figures& f) {
  rows.push_back({name, fmt::format("{:.2f}", f.hits.value), count_text(f.to_95.value),
                  count_text(f.to_99.value), fmt::format("{:.3f}", f.score_evaluations.value),
                  f.score_time ? fmt::format("{:.3f}", f.score_time->value) : "-",
                  fmt::format("{:.1f} / {:.0f} / {:.0f}", f.failures.value, f.evaluations.value,
                              f.builds.value),
                  overhead_text(f.overhead), memory_text(searcher)});
  rows.push_back({"  95 %", fmt::format("+-{:.2f}", half_width(f.hits)), count_interval(f.to_95),
                  count_interval(f.to_99), plus_minus(f.score_evaluations),
                  f.score_time ? plus_minus(*f.score_time) : ""});
}

const SearcherResult* searcher_named(const Results& results, const std::string& name) {
  for (const SearcherResult& s : results.searchers) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::string difference_text(const Estimate& a, const Estimate& b) {
  const Estimate d = difference(a, b);
  const search::Interval interval = d.interval();
  const bool clear = interval.low > 0 || interval.high < 0;
  return fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]{}", d.value, interval.low, interval.high,
                     clear ? "*" : "");
}

// The group's spaces on which both ran.
Group common(const Group& group, const SearcherResult& a, const SearcherResult& b) {
  Group both = group;
  std::erase_if(both.members, [&](std::size_t s) { return !a.spaces[s] || !b.spaces[s]; });
  return both;
}

}  // namespace

std::string group_table(const Results& results, const Group& group, const Options& options) {
  Rows fractions{{"fraction of the optimum"}};
  for (const std::size_t mark : checkpoints(options.replay.budget)) {
    fractions.front().push_back(fmt::format("at {}", mark));
  }
  Rows others{{"", "within 1 %", "to 95 %", "to 99 %", "score(evaluations)", "score(time)",
               "failed / used / built", "ask+tell mean / p99", "memory"}};
  for (const SearcherResult& searcher : results.searchers) {
    const auto figures = figures_in(searcher, group);
    if (!figures) continue;
    const std::string name = name_in(searcher, group);
    add_fractions(fractions, name, *figures);
    add_others(others, name, searcher, *figures);
  }
  return title_of(results, group, options) + "\n" + tools::table(fractions, 2) + "\n" +
         tools::table(others, 2);
}

std::string difference_table(const Results& results, const Group& group, const Options& options) {
  const SearcherResult* reference = searcher_named(results, options.against);
  Rows rows{{"mean fraction minus that of " + options.against}};
  for (const std::size_t mark : checkpoints(options.replay.budget)) {
    rows.front().push_back(fmt::format("at {}", mark));
  }
  rows.front().push_back("score(evaluations)");
  for (const SearcherResult& searcher : results.searchers) {
    if (&searcher == reference) continue;
    const Group both = common(group, searcher, *reference);
    if (both.members.empty()) continue;
    const Figures a = *figures_in(searcher, both), b = *figures_in(*reference, both);
    const bool whole = both.members.size() == group.members.size();
    rows.push_back(
        {searcher.name + (whole ? "" : fmt::format(" ({} spaces)", both.members.size()))});
    for (std::size_t c = 0; c < a.at.size(); ++c) {
      rows.back().push_back(difference_text(a.at[c].mean, b.at[c].mean));
    }
    rows.back().push_back(difference_text(a.score_evaluations, b.score_evaluations));
  }
  return rows.size() > 1 ? tools::table(rows, 2) : "";
}

std::string below_random(const Results& results, const Options& options) {
  if (options.replay.noise_repeats > 0) return "";
  std::string text;
  const std::vector<std::size_t> marks = checkpoints(options.replay.budget);
  for (const SearcherResult& searcher : results.searchers) {
    for (std::size_t s = 0; s < results.spaces.size(); ++s) {
      if (!searcher.spaces[s]) continue;
      for (std::size_t c = 0; c < marks.size(); ++c) {
        const Estimate& mean = searcher.spaces[s]->at[c].mean;
        const double random = expected_random_fraction(results.spaces[s], marks[c]);
        if (mean.interval().high >= random) continue;
        text += fmt::format("  {} on {} at {}: {:.3f} +-{:.3f}, uniform drawing {:.3f}\n",
                            searcher.name, results.spaces[s].name(), marks[c], mean.value,
                            half_width(mean), random);
      }
    }
  }
  return text.empty() ? "below random search: none\n" : "below random search:\n" + text;
}

std::string calibration_line(const Calibration& c) {
  const search::Interval interval = c.score.interval();
  std::string text = fmt::format(
      "calibration: random scores {:.3f} [{:.3f}, {:.3f}] by evaluations; uniform drawing is "
      "expected to score {:.3f}, difference {:+.3f} +- {:.3f} (largest on one space: {:.1f} "
      "standard errors, {}): {}",
      c.score.value, interval.low, interval.high, c.expected, c.score.value - c.expected,
      1.96 * c.error, c.worst, c.worst_space, c.good() ? "agrees" : "DOES NOT AGREE");
  if (c.score_time) {
    const search::Interval time = c.score_time->interval();
    text +=
        fmt::format("; {:.3f} [{:.3f}, {:.3f}] by time", c.score_time->value, time.low, time.high);
  }
  return text + "\n";
}

// ", starts of 6 of 7 spaces, 2.2 each"
std::string starts_line(const std::vector<ReplaySpace>& spaces) {
  std::size_t begun = 0, starts = 0;
  for (const ReplaySpace& space : spaces) {
    begun += space.starts().empty() ? 0 : 1;
    starts += space.starts().size();
  }
  const double each = begun > 0 ? static_cast<double>(starts) / static_cast<double>(begun) : 0;
  return fmt::format(", starts of {} of {} spaces, {:.1f} each", begun, spaces.size(), each);
}

// ", costs expected in 3 of 7 spaces"
std::string expected_line(const std::vector<ReplaySpace>& spaces) {
  const auto costs = std::ranges::count_if(
      spaces, [](const ReplaySpace& space) { return !space.expected().factors.empty(); });
  return fmt::format(", costs expected in {} of {} spaces", costs, spaces.size());
}

// ", 8 inert parameters, equal code told, builds counted"
std::string inert_line(const Options& options) {
  return fmt::format(", {} inert parameters, equal code {}, {} counted", options.inert,
                     options.replay.tell_code ? "told" : "not told",
                     options.replay.counts_builds ? "builds" : "measured ones");
}

std::string text_report(const Results& results, const Options& options) {
  std::string text = fmt::format(
      "{} seeds, {} evaluations, {} outstanding, {}, baseline {}{}{}{}\n"
      "Fractions are optimum / best so far over runs: median / mean / lowest tenth; +- is half the "
      "95 % bootstrap interval.\n\n",
      options.seeds, options.replay.budget, options.replay.outstanding,
      options.replay.noise_repeats == 0
          ? std::string("no noise")
          : fmt::format("noise of {} repeats", options.replay.noise_repeats),
      options.replay.tell_baseline ? "known" : "unknown",
      options.starts.empty() ? std::string() : starts_line(results.spaces),
      options.expected.empty() ? std::string() : expected_line(results.spaces),
      options.inert == 0 ? std::string() : inert_line(options));
  for (const Group& group : groups_of(results.spaces)) {
    if (options.summary && group.kind == Group::Kind::kSpace) continue;
    if (group.kind == Group::Kind::kAll && results.spaces.size() == 1 && !options.summary) continue;
    text += group_table(results, group, options);
    if (!options.against.empty()) text += "\n" + difference_table(results, group, options);
    text += "\n";
  }
  return text + below_random(results, options) + calibration_line(results.calibration);
}

}  // namespace nightshift::bench
