// How often steps are suspected in series that have none, and found in series that have one:
//
//   bench-changes [SERIES]
//
// draws SERIES series (1,000) for each row: so many values of a normal, a long-tailed or a drifting
// noise of 1 %, with a step of so many standard deviations in the middle, and looks for steps at
// the level of 5 %.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/rng.h"
#include "search/statistics/change_points.h"

namespace {

using namespace nightshift;

constexpr double kSd = 0.01;

enum class Noise { kNormal, kTailed, kDrifting };

double drawn(Noise noise, base::Rng& rng, double& state) {
  const double x = rng.normal();
  // A twentieth is five times as wide: outliers upwards, as of a machine that did something else.
  if (noise == Noise::kTailed && rng.below(20) == 0) return kSd * (x + 5 * std::abs(rng.normal()));
  if (noise == Noise::kDrifting) return state = 0.5 * state + kSd * x;
  return kSd * x;
}

struct Row {
  const char* name;
  Noise noise;
  int values;
  double step;  // standard deviations
};

void show(const Row& row, int series) {
  const auto began = std::chrono::steady_clock::now();
  int suspected = 0, found = 0;
  for (int s = 0; s < series; ++s) {
    base::Rng rng(base::mix_seed(7, static_cast<std::uint64_t>(s)));
    std::vector<double> values;
    double state = 0;
    for (int i = 0; i < row.values; ++i) {
      const double level = i < row.values / 2 ? 0 : row.step * kSd;
      values.push_back(level + drawn(row.noise, rng, state));
    }
    search::ChangeSearch search;
    search.seed = static_cast<std::uint64_t>(s);
    const auto points = search::change_points(values, search);
    suspected += points.empty() ? 0 : 1;
    for (const auto& point : points) {
      if (std::abs(static_cast<int>(point.first) - row.values / 2) <= 1) {
        ++found;
        break;
      }
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  fmt::print(
      "{:12} {:4} values, step {:3} sd: suspected in {:6.2f} %, at its place {:6.2f} %, {:.2f} ms "
      "a series\n",
      row.name, row.values, row.step, 100.0 * suspected / series, 100.0 * found / series,
      1e3 * took.count() / series);
}

}  // namespace

int main(int argc, char** argv) {
  const int series = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (series <= 0) {
    fmt::print(stderr, "bench-changes: SERIES must be a number above 0\n");
    return 2;
  }
  for (const Row& row : std::vector<Row>{{"normal", Noise::kNormal, 10, 0},
                                         {"normal", Noise::kNormal, 30, 0},
                                         {"normal", Noise::kNormal, 100, 0},
                                         {"long tail", Noise::kTailed, 30, 0},
                                         {"drifting", Noise::kDrifting, 30, 0},
                                         {"normal", Noise::kNormal, 10, 3},
                                         {"normal", Noise::kNormal, 20, 3},
                                         {"normal", Noise::kNormal, 30, 2},
                                         {"long tail", Noise::kTailed, 30, 3}}) {
    show(row, series);
  }
}
