#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <set>

#include "search/searcher.h"
#include "tools/bench/search/replays.h"

namespace {
using namespace nightshift::bench;
constexpr std::size_t kMarks[] = {25, 50, 100, 200, 400};

double fraction(const Replay& run, std::size_t mark, double optimum) {
  if (run.best.empty()) return 0;
  const auto best = run.best[std::min(mark, run.best.size()) - 1];
  return best ? optimum / *best : 0;
}

void line(const std::string& name, const std::vector<double>& values, double hits) {
  fmt::print("{:44}", name);
  for (double v : values) fmt::print("  {:.4f}", v);
  fmt::print("  {:.2f}\n", hits);
}
}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Replays recorded spaces with searchers; mean fraction of the optimum"};
  std::vector<std::string> searchers, files;
  std::size_t seeds = 60, threads = 2;
  ReplaySettings settings;
  bool no_baseline = false;
  app.add_option("--searchers", searchers)->delimiter(',')->required();
  app.add_option("--seeds", seeds);
  app.add_option("--outstanding", settings.outstanding);
  app.add_option("--budget", settings.budget);
  app.add_option("--threads", threads);
  app.add_option("--noise", settings.noise_repeats);
  app.add_flag("--no-baseline", no_baseline);
  app.add_option("SPACE", files)->required();
  CLI11_PARSE(app, argc, argv);
  settings.tell_baseline = !no_baseline;
  try {
    std::vector<ReplaySpace> spaces;
    for (const std::string& file : files) spaces.push_back(ReplaySpace::read(file));
    const auto all = replay_all(searchers, spaces, seeds, threads, settings);
    fmt::print("{:44}  {:>6}  {:>6}  {:>6}  {:>6}  {:>6}  {}\n", "searcher, space (mean fraction)",
               25, 50, 100, 200, 400, "within 1 %");
    for (std::size_t s = 0; s < searchers.size(); ++s) {
      std::vector<double> mean(5, 0.0);
      double mean_hits = 0;
      for (std::size_t p = 0; p < spaces.size(); ++p) {
        std::vector<double> here(5, 0.0);
        double hits = 0;
        for (const Replay& run : all[s][p]) {
          for (std::size_t m = 0; m < 5; ++m)
            here[m] += fraction(run, kMarks[m], spaces[p].optimum()) / double(seeds);
          hits += (fraction(run, 400, spaces[p].optimum()) >= 1 / 1.01) / double(seeds);
        }
        line("  " + searchers[s] + " " + spaces[p].name(), here, hits);
        for (std::size_t m = 0; m < 5; ++m) mean[m] += here[m] / double(spaces.size());
        mean_hits += hits / double(spaces.size());
      }
      line(searchers[s], mean, mean_hits);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench-search: %s\n", e.what());
    return 2;
  }
}
