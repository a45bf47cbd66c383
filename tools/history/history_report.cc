#include "tools/history/history_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/text.h"
#include "search/acceptance/toolchains.h"
#include "search/statistics/change_points.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using Figure = SuspectedStep::Figure;

constexpr double kLevel = 0.05;
constexpr std::array kFigures = {Figure::kBest, Figure::kBaseline, Figure::kGain};

std::string devices_of(const PastRun& run) {
  std::set<std::string> models;
  for (const search::IdentityPart& part : run.made_of) {
    if (part.kind == search::IdentityPart::Kind::kDevice) models.insert(part.value);
  }
  return base::joined({models.begin(), models.end()}, ", ");
}

std::vector<std::string> changes_from(const PastRun& before, const PastRun& now) {
  std::vector<std::string> texts;
  for (const search::IdentityChange& change :
       search::changes_between(before.made_of, now.made_of)) {
    if (change.matters) texts.push_back(one_line(change.text));
  }
  return texts;
}

std::optional<double> value_of(const PastRun& run, Figure figure) {
  if (figure == Figure::kBaseline) return run.baseline;
  if (!run.accepted) return std::nullopt;
  return figure == Figure::kBest ? run.best : run.ratio;
}

// --- The commands that decide ---

// A study that is still there to be rechecked: the last one before the step, else the first behind
// it.
std::string study_at(const std::vector<PastRun>& runs, std::size_t step, StillThere& there) {
  const auto is_one = [&](const PastRun& run) {
    return run.what == PastRun::What::kStudy && run.accepted && there.has(run.study);
  };
  for (std::size_t i = step; i-- > 0;) {
    if (is_one(runs[i])) return runs[i].study;
  }
  for (std::size_t i = step; i < runs.size(); ++i) {
    if (is_one(runs[i])) return runs[i].study;
  }
  return "";
}

search::Identity compilers_of(const PastRun& run) {
  search::Identity compilers;
  std::ranges::copy_if(run.made_of, std::back_inserter(compilers),
                       [](const search::IdentityPart& p) {
                         return p.kind == search::IdentityPart::Kind::kCompiler;
                       });
  return compilers;
}

bool has_other_sources(const PastRun& before, const PastRun& now) {
  using Kind = search::IdentityPart::Kind;
  return std::ranges::any_of(now.made_of, [&](const search::IdentityPart& part) {
    if (part.kind != Kind::kSource && part.kind != Kind::kFile) return false;
    return std::ranges::any_of(before.made_of, [&](const search::IdentityPart& then) {
      return then.kind == part.kind && then.name == part.name && then.value != part.value;
    });
  });
}

// The one compiler before a step and behind it, where that has changed and no source has.
struct CompilerStep {
  search::IdentityPart then, now;
};
std::optional<CompilerStep> compiler_step(const PastRun& before, const PastRun& now) {
  const search::Identity then = compilers_of(before), later = compilers_of(now);
  if (then.size() != 1 || later.size() != 1 || then == later) return std::nullopt;
  if (has_other_sources(before, now)) return std::nullopt;
  return CompilerStep{then.front(), later.front()};
}

// What is after `bisect PROBLEM CONFIGURATION`; empty where there is nothing to bisect.
std::string bisect_between(const PastRun& before, const PastRun& now, StillThere& there) {
  if (const auto step = compiler_step(before, now)) {
    const std::string then = there.compiler(step->then), later = there.compiler(step->now);
    if (then.empty() || later.empty() || then == later) return "";
    return " --compilers " + shell_word(then + "," + later);
  }
  // Only kernels that are compiled here can be bisected.
  if (compilers_of(now).empty() || !has_other_sources(before, now)) return "";
  const std::string good = there.commit(now.file, before.begun),
                    bad = there.commit(now.file, now.begun);
  if (good.empty() || bad.empty() || good == bad) return "";
  return " --good " + shell_word(good) + " --bad " + shell_word(bad);
}

std::string bisect_for(const HistorySeries& series, std::size_t step, Figure figure,
                       const std::string& study, StillThere& there) {
  if (step == 0 || !there.has(series.file)) return "";
  const std::string between = bisect_between(series.runs[step - 1], series.runs[step], there);
  if (between.empty()) return "";
  std::string command = "nightshift bisect " + shell_word(series.file);
  if (figure != Figure::kBaseline && !study.empty()) command += " " + shell_word(study);
  command += between;
  for (const std::string& setting : series.settings) command += " --set " + shell_word(setting);
  return command;
}

// Where the compiler of then is there no more, those that are stand beside the machine code that
// was kept.
std::string recheck_for(const HistorySeries& series, std::size_t step, const std::string& study,
                        bool bisected, StillThere& there) {
  if (study.empty()) return "";
  const std::string command = "nightshift recheck " + shell_word(study);
  if (step == 0 || bisected) return command;
  const auto compilers = compiler_step(series.runs[step - 1], series.runs[step]);
  const std::string now = compilers ? there.compiler(compilers->now) : "";
  if (now.empty()) return command;
  std::vector<std::string> words = {now};
  for (const std::string& word : there.compilers_beside(compilers->now)) {
    if (words.size() < search::kMostToolchains) words.push_back(word);
  }
  return words.size() < 2 ? command
                          : command + " --compilers " + shell_word(base::joined(words, ","));
}

void suspect(HistorySeries& series, Figure figure, StillThere& there) {
  std::vector<double> values;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    const auto value = value_of(series.runs[i], figure);
    if (!value) continue;
    values.push_back(std::log(*value));
    of.push_back(i);
  }
  search::ChangeSearch search;
  search.level = kLevel / kFigures.size();
  for (const search::ChangePoint& point : search::change_points(values, search)) {
    const std::size_t run = of[point.first];
    const std::string study = study_at(series.runs, run, there);
    const std::string bisect = bisect_for(series, run, figure, study, there);
    series.suspected.push_back({figure, run, std::exp(point.before), std::exp(point.after),
                                point.p_value, series.changes[run],
                                recheck_for(series, run, study, !bisect.empty(), there), bisect});
  }
}

std::string value_text(const PastRun& run, const std::optional<double>& value) {
  return value ? format_value(*value, run.objective.unit) : "-";
}

// "5.2 % higher"
std::string moved(double before, double after) {
  const double ratio = after / before;
  return format_percent(std::abs(ratio - 1)) + (ratio > 1 ? " higher" : " lower");
}

const char* subject_of(Figure figure) {
  switch (figure) {
    case Figure::kBest:
      return "the best";
    case Figure::kBaseline:
      return "the baseline";
    case Figure::kGain:
      break;
  }
  return "the gain over the baseline";
}

ordered_json step_json(const SuspectedStep& step) {
  static const std::map<Figure, const char*> names = {
      {Figure::kBest, "best"}, {Figure::kBaseline, "baseline"}, {Figure::kGain, "gain"}};
  return {{"figure", names.at(step.figure)},
          {"run", step.run},
          {"before", number_json(step.before)},
          {"after", number_json(step.after)},
          {"p_value", number_json(step.p_value)},
          {"changed", step.what},
          {"command", step.command.empty() ? ordered_json() : ordered_json(step.command)},
          {"bisect", step.bisect.empty() ? ordered_json() : ordered_json(step.bisect)}};
}

std::string unreadable_text(const HistoryReport& report) {
  if (report.unreadable == 0) return "";
  return count_of(report.unreadable, "line") + " of " + report.history +
         (report.unreadable == 1 ? " is" : " are") + " no part of a history.";
}

std::string headline(const HistoryReport& report) {
  std::size_t runs = 0, steps = 0;
  for (const HistorySeries& series : report.series) {
    runs += series.runs.size();
    steps += series.suspected.size();
  }
  return (steps == 0   ? "No step is"
          : steps == 1 ? "1 step is"
                       : format_count(steps) + " steps are") +
         (" suspected in " + count_of(runs, "run"));
}

std::string gain_text(const PastRun& run) {
  if (!run.ratio) return "";
  std::string text = format_change(run.objective, *run.ratio);
  if (std::isfinite(run.interval.low) && std::isfinite(run.interval.high)) {
    text += " " + format_change_interval(run.objective, *run.ratio, run.interval);
  }
  return text;
}

std::string sentence_of(const HistorySeries& series, const SuspectedStep& step) {
  const PastRun& run = series.runs[step.run];
  const std::string name = run.objective.name;
  std::string text = "Suspected: ";
  if (step.figure == Figure::kGain) {
    text += fmt::format("{} was \"{}\" and is \"{}\"", subject_of(step.figure),
                        format_change(run.objective, step.before),
                        format_change(run.objective, step.after));
  } else {
    text +=
        fmt::format("{} of {} was {} and is {}, {},", one_line(name), subject_of(step.figure),
                    format_value(step.before, run.objective.unit),
                    format_value(step.after, run.objective.unit), moved(step.before, step.after));
  }
  text += fmt::format(" from {} on (p = {:.2g}).", format_date(run.at), step.p_value);
  if (!step.what.empty()) text += " Then " + base::joined(step.what, "; ") + ".";
  if (!step.command.empty()) text += " To be decided by: " + step.command;
  if (!step.bisect.empty())
    text += (step.command.empty() ? " " : "; ") + ("where it came in: " + step.bisect);
  return text;
}

}  // namespace

std::vector<HistorySeries> series_of(const std::vector<PastRun>& runs, StillThere& there) {
  std::map<std::tuple<std::string, std::vector<std::string>, std::string, std::string>, std::size_t>
      known;
  std::vector<HistorySeries> all;
  std::map<std::string, std::string> devices_by_study;
  for (const PastRun& run : runs) {
    const std::string& what = run.file.empty() ? run.problem : run.file;
    std::string devices = devices_of(run);
    // What nothing was measured of belongs to what it was about.
    if (devices.empty()) {
      devices = devices_by_study[run.study];
    } else {
      devices_by_study[run.study] = devices;
    }
    const auto [at, is_new] =
        known.try_emplace({what, run.settings, devices, run.objective.name}, all.size());
    if (is_new) all.push_back({run.problem, run.file, run.settings, devices, {}, {}, {}});
    HistorySeries& series = all[at->second];
    series.changes.push_back(series.runs.empty() ? std::vector<std::string>{}
                                                 : changes_from(series.runs.back(), run));
    series.runs.push_back(run);
  }
  for (HistorySeries& series : all) {
    for (const Figure figure : kFigures) suspect(series, figure, there);
  }
  std::ranges::stable_sort(all, {}, [](const HistorySeries& s) { return s.runs.back().at; });
  return all;
}

std::string title_of(const HistorySeries& series) {
  std::string title = series.problem;
  if (!series.settings.empty()) title += ", " + base::joined(series.settings, " ");
  if (!series.devices.empty()) title += ", on " + series.devices;
  return title;
}

Rows rows_of(const HistorySeries& series) {
  const bool has_ceiling =
      std::ranges::any_of(series.runs, [](const PastRun& r) { return r.ceiling.has_value(); });
  std::vector<std::string> heading = {"ended", "what", "baseline", "best"};
  if (has_ceiling) heading.emplace_back("of the ceiling");
  heading.insert(heading.end(), {"winner over baseline", "said", "changed since the run before"});
  Rows rows = {std::move(heading)};
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    const PastRun& run = series.runs[i];
    std::vector<std::string> row = {format_date(run.at), std::string(name_of(run.what)),
                                    value_text(run, run.baseline), value_text(run, run.best)};
    if (has_ceiling) row.push_back(run.ceiling ? format_value(*run.ceiling, "%") : "-");
    const std::string gain = gain_text(run);
    row.push_back(gain.empty() ? "-" : run.accepted ? gain : "not confirmed");
    row.push_back(one_line(run.said));
    row.push_back(base::joined(series.changes[i], "; "));
    rows.push_back(std::move(row));
  }
  return rows;
}

Document document_of(const HistoryReport& report) {
  const bool has_steps = std::ranges::any_of(
      report.series, [](const HistorySeries& s) { return !s.suspected.empty(); });
  Document document{
      "History" + (report.series.empty() ? "" : " of " + report.series.back().problem), "",
      headline(report), has_steps ? Mood::kBad : Mood::kPlain};
  document.is_answer = true;
  document.blocks.push_back(Paragraph{unreadable_text(report)});
  for (const HistorySeries& series : report.series) {
    Section section{title_of(series), {}, Fold::kOpen};
    for (const SuspectedStep& step : series.suspected) {
      section.blocks.push_back(Paragraph{sentence_of(series, step)});
    }
    section.blocks.push_back(charts_of(series));
    section.blocks.push_back(Table{rows_of(series)});
    document.blocks.push_back(std::move(section));
  }
  return document;
}

std::string histories_text(const HistoryReport& report) {
  Rows rows = {{"problem", "runs", "last", "winner over baseline"}};
  for (const HistorySeries& series : report.series) {
    const PastRun& last = series.runs.back();
    const std::string gain = gain_text(last);
    rows.push_back({one_line(title_of(series)), format_count(series.runs.size()),
                    format_date(last.at),
                    !last.accepted || gain.empty() ? one_line(last.said) : gain});
  }
  std::string text = rows.size() > 1 ? table(rows, 0) : "The history is empty.\n";
  return text + paragraph(unreadable_text(report), 0);
}

ordered_json history_json(const HistoryReport& report) {
  ordered_json list = ordered_json::array();
  for (const HistorySeries& series : report.series) {
    ordered_json runs = ordered_json::array(), steps = ordered_json::array();
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
      ordered_json run = ordered_json::parse(line_of(series.runs[i]));
      run["changed"] = series.changes[i];
      runs.push_back(std::move(run));
    }
    for (const SuspectedStep& step : series.suspected) steps.push_back(step_json(step));
    list.push_back({{"problem", series.problem},
                    {"file", series.file},
                    {"settings", series.settings},
                    {"devices", series.devices},
                    {"runs", std::move(runs)},
                    {"suspected", std::move(steps)}});
  }
  return {
      {"history", report.history}, {"unreadable", report.unreadable}, {"series", std::move(list)}};
}

}  // namespace nightshift::tools
