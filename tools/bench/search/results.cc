#include "tools/bench/search/results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "base/rng.h"
#include "tools/bench/search/memory.h"
#include "tools/bench/search/peers.h"
#include "tools/bench/search/score.h"
#include "tools/bench/search/starts.h"
#include "tools/usage_error.h"

namespace nightshift::bench {
namespace {

// Spaces of one name (two files A100.json) are told apart by their folders.
std::vector<ReplaySpace> read_spaces(const std::vector<std::string>& files, std::size_t threads) {
  std::vector<std::optional<ReplaySpace>> read(files.size());
  base::in_parallel(files.size(), threads,
                    [&](std::size_t i) { read[i] = ReplaySpace::read(files[i]); });
  std::map<std::string, int> uses;
  for (const auto& space : read) ++uses[space->name()];
  std::set<std::string> names;
  std::vector<ReplaySpace> spaces;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto folder = std::filesystem::absolute(files[i]).parent_path().filename().string();
    if (uses[read[i]->name()] > 1) read[i]->rename(folder + "-" + read[i]->name());
    if (!names.insert(read[i]->name()).second) {
      throw tools::UsageError(files[i] + ": a space named " + read[i]->name() + " is given twice");
    }
    spaces.push_back(std::move(*read[i]));
  }
  return spaces;
}

struct Cell {
  const Runs* runs;
  std::size_t space;
  std::optional<Figures>* target;
};

void fill(const std::vector<Cell>& cells, const std::vector<ReplaySpace>& spaces,
          const Options& options) {
  base::in_parallel(cells.size(), options.threads, [&](std::size_t i) {
    const Cell& cell = cells[i];
    *cell.target = figures_of(spaces[cell.space], *cell.runs, cell.space, options.figures);
  });
}

// Sequential, without noise and without starts whatever was asked for, as the expectation is
// calculated so.
Calibration calibrated(const std::vector<ReplaySpace>& spaces, const Options& options) {
  ReplaySettings settings;
  settings.budget = options.replay.budget;
  settings.tell_starts = false;
  const auto runs = replay_all({"random"}, spaces, options.seeds, options.threads, settings);
  SearcherResult random{"random", std::vector<std::optional<Figures>>(spaces.size()), {}};
  std::vector<Cell> cells;
  for (std::size_t s = 0; s < spaces.size(); ++s)
    cells.push_back({&runs[0][s], s, &random.spaces[s]});
  fill(cells, spaces, options);
  Calibration result;
  double variance = 0;
  const auto count = static_cast<double>(spaces.size());
  for (std::size_t s = 0; s < spaces.size(); ++s) {
    const auto& values = spaces[s].sorted_values();
    const EvaluationScore score(values, settings.budget);
    const double expected = score.expected_for_random(values, spaces[s].failures());
    const Estimate& measured = random.spaces[s]->score_evaluations;
    const double error = measured.standard_error();
    result.expected += expected / count;
    variance += error * error / count / count;
    const double deviation = error > 0 ? std::abs(measured.value - expected) / error : 0;
    if (deviation >= result.worst) {
      result.worst = deviation;
      result.worst_space = spaces[s].name();
    }
  }
  result.error = std::sqrt(variance);
  const Figures all = *figures_in(random, groups_of(spaces).back());
  result.score = all.score_evaluations;
  result.score_time = all.score_time;
  return result;
}

std::size_t largest(const std::vector<ReplaySpace>& spaces) {
  const auto smaller = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  return static_cast<std::size_t>(std::max_element(spaces.begin(), spaces.end(), smaller) -
                                  spaces.begin());
}

void check_against(const std::string& against, const std::vector<SearcherResult>& searchers) {
  if (against.empty()) return;
  std::string names;
  for (const SearcherResult& s : searchers) {
    if (s.name == against) return;
    names += (names.empty() ? "" : ", ") + s.name;
  }
  throw tools::UsageError("--against " + against + ": no such searcher here; there are " + names);
}

}  // namespace

bool Calibration::good() const {
  // Beyond chance: one such deviation of the mean in 10,000 programs.
  return std::abs(score.value - expected) <= 4 * error;
}

Results measure(const Options& options) {
  Results results;
  results.spaces = read_spaces(options.spaces, options.threads);
  for (ReplaySpace& space : results.spaces) {
    if (options.inert > 0) space.add_inert(options.inert);
  }
  if (!options.starts.empty()) read_starts(options.starts, results.spaces);
  if (!options.expected.empty()) read_expected(options.expected, results.spaces);
  const auto& spaces = results.spaces;
  const std::vector<PeerRuns> peers = read_peers(options.peers, spaces, options.replay.budget);
  const std::vector<std::optional<Figures>> none(spaces.size());
  for (const std::string& name : options.searchers) results.searchers.push_back({name, none, {}});
  for (const PeerRuns& peer : peers) results.searchers.push_back({peer.name, none, {}});
  check_against(options.against, results.searchers);
  // First, while the process has one thread and little memory that is free already.
  const ReplaySpace& big = spaces[largest(spaces)];
  for (std::size_t i = 0; i < options.searchers.size(); ++i) {
    results.searchers[i].memory = memory_growth(options.searchers[i], big, options.replay);
  }
  const auto runs =
      replay_all(options.searchers, spaces, options.seeds, options.threads, options.replay);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < results.searchers.size(); ++i) {
    const auto& own = i < runs.size() ? runs[i] : peers[i - runs.size()].spaces;
    for (std::size_t s = 0; s < spaces.size(); ++s) {
      if (!own[s].empty()) cells.push_back({&own[s], s, &results.searchers[i].spaces[s]});
    }
  }
  fill(cells, spaces, options);
  results.calibration = calibrated(spaces, options);
  return results;
}

std::vector<Group> groups_of(const std::vector<ReplaySpace>& spaces) {
  std::vector<Group> groups;
  std::map<std::string, std::vector<std::size_t>> kernels;
  Group all{Group::Kind::kAll, "all " + std::to_string(spaces.size()) + " spaces", {}};
  for (std::size_t s = 0; s < spaces.size(); ++s) {
    groups.push_back({Group::Kind::kSpace, spaces[s].name(), {s}});
    kernels[spaces[s].kernel()].push_back(s);
    all.members.push_back(s);
  }
  if (kernels.size() > 1) {
    for (const auto& [kernel, members] : kernels) {
      groups.push_back({Group::Kind::kKernel, kernel, members});
    }
  }
  groups.push_back(std::move(all));
  return groups;
}

std::optional<Figures> figures_in(const SearcherResult& searcher, const Group& group) {
  std::vector<const Figures*> figures;
  for (const std::size_t s : group.members) {
    if (searcher.spaces[s]) figures.push_back(&*searcher.spaces[s]);
  }
  if (figures.empty()) return std::nullopt;
  return mean_figures(figures);
}

std::size_t coverage(const SearcherResult& searcher, const Group& group) {
  std::size_t count = 0;
  for (const std::size_t s : group.members) count += searcher.spaces[s] ? 1 : 0;
  return count;
}

}  // namespace nightshift::bench
