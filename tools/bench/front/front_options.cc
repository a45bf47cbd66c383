#include "tools/bench/front/front_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace nightshift::bench {
namespace {

constexpr const char* kIntroduction =
    R"(Replays recorded spaces in which two figures are sought, and measures how much of the true Pareto
front searchers have found after how many unique configurations: hypervolume below the medians.)";

constexpr const char* kEpilogue = R"(
SPACE is a recording, whose figures are its objective and the recorded time of builds, or
FILE+OTHER, two recordings of one space, whose figures are the objective of each. What is not there
is skipped, which is said.

Examples:
  bench-front kernels/recorded/*.json.gz
  bench-front --summary spaces/convolution-A100.json.gz+spaces/convolution-MI250X.json.gz

Exit codes: 0 done; 1 a searcher broke its contract; 2 wrong command line or file.)";

void declare(CLI::App& app, FrontOptions& o) {
  const CLI::Range positive(1, 1'000'000'000);
  app.add_option("--searchers", o.searchers, "Comma-separated, or all (auto,nsga2,random)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--seeds", o.settings.seeds, "Runs of each searcher on each space (20)")
      ->check(positive);
  app.add_option("--budget", o.settings.budget, "Unique configurations a run may try (400)")
      ->check(positive);
  app.add_option("--samples", o.settings.samples, "Bootstrap samples (1000)")->check(positive);
  app.add_option("--threads", o.settings.threads, "Threads (all cores)")->check(positive);
  app.add_option("--json", o.json, "Write all figures to this file");
  app.add_flag("--summary", o.summary, "Print the mean over spaces only");
  app.add_option("SPACE", o.spaces, "Recorded spaces")->required();
  app.footer(kEpilogue);
}

bool is_there(const std::string& space) {
  std::istringstream files(space);
  for (std::string file; std::getline(files, file, '+');) {
    if (!std::filesystem::is_regular_file(file)) return false;
  }
  return true;
}

void set_absent_aside(FrontOptions& options) {
  const auto absent = std::stable_partition(options.spaces.begin(), options.spaces.end(), is_there);
  options.absent.assign(absent, options.spaces.end());
  options.spaces.erase(absent, options.spaces.end());
}

Answer wrong(const std::string& message) {
  return {2, "bench-front: " + message + "\nbench-front --help lists the options\n"};
}

}  // namespace

std::variant<FrontOptions, Answer> parse_front_options(const std::vector<std::string>& arguments) {
  FrontOptions options;
  options.settings.threads = std::max(1U, std::thread::hardware_concurrency());
  CLI::App app{kIntroduction, "bench-front"};
  declare(app, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    options.searchers = chosen_searchers(options.searchers);
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    app.exit(e, text, text);
    return Answer{0, text.str()};
  } catch (const CLI::ParseError& e) {
    return wrong(e.what());
  } catch (const std::invalid_argument& e) {
    return wrong(e.what());
  }
  set_absent_aside(options);
  if (options.spaces.empty()) return wrong("no such file: " + options.absent.front());
  return options;
}

}  // namespace nightshift::bench
