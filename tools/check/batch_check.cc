#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/dry_run.h"
#include "evaluator/machine_code.h"
#include "problems/batch_file.h"
#include "tools/check/check_report.h"
#include "tools/check/checked_problem.h"
#include "tools/problem/problem_source.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

using problems::Diagnostic;

// What is told of one file, in order.
struct ToldOfFile {
  std::string file;
  std::vector<Diagnostic> told;
};
using Told = std::vector<ToldOfFile>;

void add(Told& all, const std::string& file, const std::vector<Diagnostic>& found) {
  if (found.empty()) return;
  auto known = std::ranges::find(all, file, &ToldOfFile::file);
  if (known == all.end()) known = all.insert(all.end(), {file, {}});
  for (const Diagnostic& one : found) {
    // Studies of one file have most in common.
    const bool is_known = std::ranges::any_of(
        known->told, [&](const Diagnostic& other) { return to_string(other) == to_string(one); });
    if (!is_known) known->told.push_back(one);
  }
}

std::size_t count_in(const Told& all) {
  std::size_t count = 0;
  for (const ToldOfFile& one : all) count += one.told.size();
  return count;
}

std::vector<Diagnostic> mistakes_of(const problems::BatchEntry& entry) {
  try {
    return inspect_problem(entry.problem, entry.overrides).mistakes;
  } catch (const problems::ProblemFileError& error) {
    return error.diagnostics();
  } catch (const std::exception& error) {
    return {{entry.problem, 0, 0, error.what()}};
  }
}

std::string text_of(const Told& all) {
  std::string text;
  for (const ToldOfFile& one : all) {
    text += one_line(one.file) + "\n";
    for (const Diagnostic& mistake : one.told) text += block(to_string(mistake), 2);
  }
  return text;
}

nlohmann::ordered_json json_of(const Told& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ToldOfFile& one : all) append_told(one.told, one.file, list);
  return list;
}

// All that is wrong with a batch.
struct BatchReading {
  std::size_t studies = 0;
  Told mistakes;  // of the files
  Told lacking;   // on this machine: programs, memory
  Told failing;   // baselines that cannot be worked out, sources that do not compile
};

problems::BatchFile read_own(BatchReading& reading, const std::string& file) {
  std::vector<Diagnostic> own;
  problems::BatchFile batch = problems::inspect_batch({file}, own);
  reading.studies = batch.studies.size();
  add(reading.mistakes, file, own);
  return batch;
}

// Sources that are compiled: studies of one file, whose sizes or budgets alone differ, mostly have
// them in common.
class BuiltSources {
 public:
  // Whether these were there before; then they are.
  bool added(const problems::BatchEntry& entry, const evaluator::DryRun& baseline) {
    std::vector<std::string> key = {entry.problem};
    for (const auto& [name, value] : entry.overrides) {
      const bool is_of_source = name.starts_with("host.") && !name.starts_with("host.sizes.");
      if (is_of_source) key.insert(key.end(), {name, value});
    }
    for (const evaluator::DryRun::Case& one : baseline.cases) {
      key.emplace_back();
      key.insert(key.end(), one.compiler.begin(), one.compiler.end());
    }
    return !known_.insert(std::move(key)).second;
  }

 private:
  std::set<std::vector<std::string>> known_;
};

void look_at(BatchReading& reading, const problems::BatchEntry& entry, bool builds,
             BuiltSources& built) {
  const auto is_built = [&](const CheckReport& report) {
    return built.added(entry, *report.baseline->run);
  };
  const auto told = [&](const std::string& words) {
    return std::vector<Diagnostic>{{entry.problem, 0, 0, words}};
  };
  try {
    const CheckReport report =
        checked_problem({entry.problem, entry.overrides, 1, 0, builds, false, is_built});
    add(reading.mistakes, entry.problem, report.reading.mistakes);
    for (const std::string& why : report.missing) add(reading.lacking, entry.problem, told(why));
    if (report.baseline && !report.baseline->wrong.empty()) {
      add(reading.failing, entry.problem,
          told("the baseline cannot be: " + report.baseline->wrong));
    }
    if (report.build && !report.build->result.failed.empty()) {
      const evaluator::FirstBuild& result = report.build->result;
      add(reading.failing, entry.problem,
          told(result.failed + " does not compile:\n" + result.words));
    }
  } catch (const problems::ProblemFileError& error) {
    add(reading.mistakes, entry.problem, error.diagnostics());
  } catch (const std::exception& error) {
    add(reading.mistakes, entry.problem, told(error.what()));
  }
}

BatchReading looked_at(const std::string& file, bool builds) {
  BatchReading reading;
  BuiltSources built;
  for (const problems::BatchEntry& entry : read_own(reading, file).studies) {
    look_at(reading, entry, builds, built);
  }
  return reading;
}

std::string head_of(const BatchReading& reading) {
  const std::string studies =
      reading.studies == 1 ? "1 study" : format_count(reading.studies) + " studies";
  const auto counted = [](const Told& all, const std::string& thing, const std::string& none) {
    return all.empty() ? none : count_of(count_in(all), thing);
  };
  std::string head =
      "a batch of " + studies + ", with " + counted(reading.mistakes, "mistake", "no mistake");
  if (!reading.lacking.empty()) {
    head += "; this machine lacks " + count_of(count_in(reading.lacking), "thing");
  }
  if (!reading.failing.empty()) {
    head += "; " + count_of(count_in(reading.failing), "baseline") + " would fail";
  }
  return head;
}

}  // namespace

std::string batch_mistakes(const std::string& file) {
  BatchReading reading;
  for (const problems::BatchEntry& entry : read_own(reading, file).studies) {
    add(reading.mistakes, entry.problem, mistakes_of(entry));
  }
  return "the batch has " + count_of(count_in(reading.mistakes), "mistake") + ":\n" +
         text_of(reading.mistakes);
}

bool check_batch(const std::string& file, bool json, bool builds) {
  const BatchReading reading = looked_at(file, builds);
  if (json) {
    print_json({{"file", file},
                {"studies", reading.studies},
                {"mistakes", json_of(reading.mistakes)},
                {"lacking", json_of(reading.lacking)},
                {"failing", json_of(reading.failing)}});
  } else {
    Told all = reading.mistakes;
    for (const Told& more : {reading.lacking, reading.failing}) {
      for (const ToldOfFile& one : more) add(all, one.file, one.told);
    }
    std::fputs((one_line(file) + ": " + head_of(reading) + "\n" + text_of(all)).c_str(), stdout);
  }
  const bool is_all_there = reading.lacking.empty() || !builds;
  return reading.mistakes.empty() && reading.failing.empty() && is_all_there;
}

}  // namespace nightshift::tools
