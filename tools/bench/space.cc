// What it costs to build search spaces and to use them:
//
//   bench-space [--json] [--runs N] [--only NAME]     builds each known space and checks its size
//   bench-space --definitions                         the spaces as JSON, for space_peers.py
//
// Construction is the median of N runs (5), from values and parsed constraints to the finished
// space; reading the texts of the constraints is on top. Memory is by how much the peak resident
// size of a forked process grows while it builds one. The operations are averages over random
// configurations.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tools/bench/huge_spaces.h"
#include "tools/bench/published_spaces.h"

namespace {

using namespace nightshift;
using bench::KnownSpace;
using search::ConfigurationIndex;
using search::ParameterSpace;

std::vector<KnownSpace> known_spaces() {
  std::vector<KnownSpace> all = bench::published_spaces();
  for (KnownSpace& space : bench::huge_spaces()) all.push_back(std::move(space));
  return all;
}

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Of what takes less than a millisecond.
constexpr int kManyRuns = 201;

template <class Measure>
double median_of(int runs, const Measure& measure) {
  std::vector<double> results = {measure()};
  const int wanted = results.front() < 1e-3 ? std::max(runs, kManyRuns) : runs;
  for (int i = 1; i < wanted; ++i) results.push_back(measure());
  std::ranges::sort(results);
  return results[results.size() / 2];
}

double median_construction(const KnownSpace& known, int runs) {
  return median_of(runs, [&] {
    auto parameters = known.parameters;
    auto constraints = known.parsed();
    return seconds_of([&] { ParameterSpace(std::move(parameters), std::move(constraints)); });
  });
}

double median_parsing(const KnownSpace& known, int runs) {
  return median_of(runs, [&] { return seconds_of([&] { known.parsed(); }); });
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// In a process of its own, whose peak nothing else has raised; -1 where that fails.
long construction_kilobytes(const KnownSpace& known) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const long before = peak_kilobytes();
    const ParameterSpace space = known.build();
    const long grown = peak_kilobytes() - before;
    _exit(write(ends[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  close(ends[1]);
  long grown = -1;
  if (child < 0 || read(ends[0], &grown, sizeof grown) != sizeof grown) grown = -1;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return grown;
}

struct OperationTimes {  // microseconds
  double configuration = 0, index_of = 0, sample = 0, neighbours = 0;
};

template <class Work>
double microseconds_each(const std::vector<ConfigurationIndex>& indices, const Work& work) {
  const double seconds = seconds_of([&] {
    for (const ConfigurationIndex i : indices) work(i);
  });
  return seconds * 1e6 / static_cast<double>(indices.size());
}

OperationTimes operation_times(const ParameterSpace& space) {
  base::Rng rng(1);
  std::vector<ConfigurationIndex> indices(2000);
  OperationTimes times;
  times.sample = microseconds_each(indices, [&](ConfigurationIndex) { space.sample(rng); });
  for (ConfigurationIndex& i : indices) i = space.sample(rng);
  std::vector<search::Configuration> configurations;
  times.configuration = microseconds_each(
      indices, [&](ConfigurationIndex i) { configurations.push_back(space.configuration(i)); });
  std::size_t next = 0;
  times.index_of = microseconds_each(indices, [&](ConfigurationIndex i) {
    if (space.index_of(configurations[next++]) != i) std::abort();
  });
  times.neighbours = microseconds_each(indices, [&](ConfigurationIndex i) {
    space.neighbours(i, ParameterSpace::Neighbourhood::kAdjacent);
  });
  return times;
}

// False where the space has another size than its source says.
bool measure(const KnownSpace& known, int runs, bool json, bool first) {
  const long kilobytes = construction_kilobytes(known);
  const double seconds = median_construction(known, runs);
  const double parse_seconds = median_parsing(known, runs);
  const ParameterSpace space = known.build();
  const std::string valid = base::to_string(space.size());
  const bool right = space.counted() && (known.valid.empty() || known.valid == valid);
  const OperationTimes t = operation_times(space);
  if (json) {
    fmt::print(
        "{}{{\"name\": \"{}\", \"cartesian\": {:.6g}, \"valid\": \"{}\", \"right\": {}, "
        "\"seconds\": {:.9f}, \"parse_seconds\": {:.9f}, \"kilobytes\": {}, \"configuration_us\": "
        "{:.4f}, "
        "\"index_of_us\": {:.4f}, \"sample_us\": {:.4f}, \"neighbours_us\": {:.4f}}}",
        first ? "" : ",\n ", known.name, space.cartesian_size(), valid, right, seconds,
        parse_seconds, kilobytes, t.configuration, t.index_of, t.sample, t.neighbours);
  } else {
    fmt::print(
        "{:<13} {:>9.3g} {:>21} {:>5} {:>12.3f} {:>8} {:>8.2f} {:>8.2f} {:>8.3f} "
        "{:>10.2f}\n",
        known.name, space.cartesian_size(), valid, right ? "yes" : "NO", seconds * 1e3, kilobytes,
        t.configuration, t.index_of, t.sample, t.neighbours);
  }
  std::fflush(stdout);
  return right;
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += (list.empty() ? "" : ", ") + search::json_quoted(text);
  }
  return "[" + list + "]";
}

void print_definitions() {
  std::string out;
  for (const KnownSpace& known : known_spaces()) {
    std::string parameters;
    for (const search::Parameter& parameter : known.parameters) {
      std::string values;
      for (const search::Value& value : parameter.values) {
        values += (values.empty() ? "" : ", ") + search::to_json(value);
      }
      parameters += (parameters.empty() ? "" : ", ") + search::json_quoted(parameter.name) + ": [" +
                    values + "]";
    }
    out += (out.empty() ? "" : ",\n ") + std::string("{\"name\": ") +
           search::json_quoted(known.name) + ", \"valid\": \"" + known.valid +
           "\", \"parameters\": {" + parameters +
           "}, \"constraints\": " + quoted_list(known.constraints) + "}";
  }
  fmt::print("[{}]\n", out);
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  int runs = 5;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--definitions") {
      print_definitions();
      return 0;
    }
    const bool has_value = i + 1 < argc;
    if (argument == "--json") {
      json = true;
    } else if (argument == "--runs" && has_value) {
      runs = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--only" && has_value) {
      only = argv[++i];
    } else {
      fmt::print(stderr, "usage: bench-space [--json] [--runs N] [--only NAME] | --definitions\n");
      return 2;
    }
  }
  if (json) {
    fmt::print("[");
  } else {
    fmt::print("{:<13} {:>9} {:>21} {:>5} {:>12} {:>8} {:>8} {:>8} {:>8} {:>10}\n", "space",
               "Cartesian", "valid", "right", "build ms", "KiB", "conf us", "index us", "sample us",
               "adjacent us");
  }
  bool all_right = true;
  bool first = true;
  for (const KnownSpace& known : known_spaces()) {
    if (!only.empty() && known.name != only) continue;
    all_right = measure(known, runs, json, first) && all_right;
    first = false;
  }
  if (json) fmt::print("]\n");
  return all_right ? 0 : 1;
}
