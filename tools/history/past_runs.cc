#include "tools/history/past_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <tuple>

#include "ipc/unique_fd.h"
#include "scheduler/clock.h"
#include "scheduler/summary/summary.h"
#include "search/scoring.h"
#include "tools/output_file.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using Figure = scheduler::StudySummary::Figure;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<double> value_of(const std::vector<Figure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? std::nullopt : std::optional(found->value);
}

double end_of(const scheduler::History& history) {
  double end = history.header.created;
  for (const scheduler::TrialRecord& trial : history.trials) {
    if (trial.finished) end = std::max(end, trial.finished->finished);
  }
  return end;
}

std::string absolute(const std::string& file) {
  return file.empty() ? "" : fs::absolute(file).lexically_normal().string();
}

// Whether the last line is whole. It is not where a disk was full or the power went while it was
// written.
bool ends_with_a_line(int descriptor) {
  const off_t size = lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  return size <= 0 || pread(descriptor, &last, 1, size - 1) != 1 || last == '\n';
}

// 0, or the error. One write: lines of others come before or behind it. What a full disk took of the
// line goes again, where nothing is behind it.
int added(int descriptor, std::string_view line) {
  std::size_t done = 0;
  errno = 0;
  while (done < line.size()) {
    const ssize_t n = write(descriptor, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (done == line.size()) return 0;
  const int error = errno == 0 ? EIO : errno;
  const off_t end = lseek(descriptor, 0, SEEK_CUR);
  if (done > 0 && end == lseek(descriptor, 0, SEEK_END)) {
    (void)!ftruncate(descriptor, end - static_cast<off_t>(done));
  }
  return error;
}

// By NIGHTSHIFT_HISTORY.
bool was_chosen() { return !variable("NIGHTSHIFT_HISTORY").empty(); }

constexpr std::array<const char*, 7> kNotMeasured = {"search", "budget", "acceptance", "schedule",
                                                     "limits", "device", "stop"};

}  // namespace

PastRun run_of(const search::Problem& problem, const search::Configuration& winner) {
  PastRun run;
  run.problem = problem.name;
  run.file = absolute(problem.file);
  run.objective = search::judged_objective(problem);
  run.configuration = winner.to_json();
  return run;
}

std::string history_file() {
  const std::string given = variable("NIGHTSHIFT_HISTORY");
  if (given == "off") return "";
  if (!given.empty()) return given;
  const std::string state = variable("XDG_STATE_HOME"), home = variable("HOME");
  if (!state.empty()) return state + "/nightshift/history.jsonl";
  return home.empty() ? "" : home + "/.local/state/nightshift/history.jsonl";
}

void append(const PastRun& run) {
  const std::string file = history_file();
  if (file.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(file).parent_path(), ignored);
  std::string line = line_of(run) + "\n";
  const ipc::UniqueFd descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  const int refused = errno;
  // A torn line would take this one with it.
  if (descriptor && !ends_with_a_line(descriptor.get())) line.insert(0, "\n");
  const int error = descriptor ? added(descriptor.get(), line) : refused;
  if (error == 0) return;
  const std::string why = std::strerror(error);
  if (descriptor || was_chosen() || error == ENOSPC || error == EDQUOT) {
    return tell_unwritten(file, why);
  }
  std::fprintf(stderr, "nightshift: no history is kept: %s could not be written: %s\n",
               file.c_str(), why.c_str());
}

PastRuns read_history(const std::string& file) {
  PastRuns history;
  if (file.empty() || !fs::exists(file)) return history;
  if (!fs::is_regular_file(file)) throw UsageError(file + " is no regular file");
  std::ifstream lines(file);
  if (!lines) throw UsageError(file + " cannot be read");
  std::map<std::tuple<PastRun::What, std::string, double>, std::size_t> known;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    auto run = past_run_of(line);
    if (!run) {
      ++history.unreadable;
      continue;
    }
    const auto [at, is_new] =
        known.try_emplace({run->what, run->study, run->begun}, history.runs.size());
    if (is_new) {
      history.runs.push_back(*std::move(run));
    } else if (history.runs[at->second].at <= run->at) {
      history.runs[at->second] = *std::move(run);
    }
  }
  std::ranges::stable_sort(history.runs, {}, &PastRun::at);
  return history;
}

std::vector<std::string> settings_of(const std::vector<problems::Override>& overrides) {
  std::map<std::string, std::string> kept;  // the last one of a key counts
  for (const auto& [key, value] : overrides) {
    const std::string table = key.substr(0, key.find('.'));
    if (std::ranges::find(kNotMeasured, table) == kNotMeasured.end()) kept[key] = value;
  }
  std::vector<std::string> settings;
  for (const auto& [key, value] : kept) settings.push_back(key + "=" + value);
  return settings;
}

PastRun past_run_of(const StudyFolder& folder, const scheduler::History& history,
                    const search::Problem& problem) {
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  PastRun run =
      run_of(problem, summary.best ? summary.best->configuration : search::Configuration{});
  run.begun = history.header.created;
  run.at = end_of(history);
  run.settings = settings_of(history.header.overrides);
  run.study = folder.path();
  run.said = summary.status;
  run.made_of = summary.identity;
  const std::string& figure = run.objective.name;
  run.baseline = value_of(summary.compared_baseline, figure);
  if (!run.baseline && !summary.baselines.empty()) {
    run.baseline = value_of(summary.baselines.front().figures, figure);
  }
  if (!summary.best) return run;
  run.best = value_of(summary.best->figures, figure);
  run.ceiling = value_of(summary.best->figures, "ceiling");
  run.ratio = summary.ratio;
  run.interval = summary.ratio_interval;
  run.accepted = summary.accepted;
  return run;
}

void remember(const StudyFolder& folder, const scheduler::History& history,
              const search::Problem& problem) {
  append(past_run_of(folder, history, problem));
}

}  // namespace nightshift::tools
