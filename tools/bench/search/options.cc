#include "tools/bench/search/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "search/searcher_catalogue.h"
#include "tools/bench/search/named_searcher.h"

namespace nightshift::bench {
namespace {

constexpr const char* kIntroduction =
    R"(Replays recorded spaces with searchers and scores what they find: how near they come to the
recorded optimum after how many unique configurations (failures count, repeats do not happen),
with bootstrap intervals over seeds, and the performance score of the auto-tuning methodology.)";

constexpr const char* kEpilogue = R"(
SPACE is a Kernel Tuner cache or T4 JSON, also gzipped. A searcher starts with the baseline known,
the first configuration of the file that worked, as in `nightshift tune SPACE`; the baseline counts
only where it is proposed.

Examples:
  bench-search --searchers random,pattern spaces/*.json.gz
  bench-search --searchers all --summary --against random spaces/*.json.gz
  bench-search --searchers pattern --outstanding 8 --noise 5 spaces/convolution-A100.json.gz
  bench-search --searchers auto --starts modelled/starts.json modelled/*_*.json.gz
  bench-search --searchers pattern --peers peers.json --against kt:simulated_annealing \
               --json result.json --plots plots spaces/*.json.gz

Exit codes: 0 done; 1 a searcher broke its contract, or the calibration check failed; 2 wrong
command line or file.)";

std::string searcher_help() {
  std::string help =
      "Comma-separated, each also with options (auto:near_baseline=8), or all (but exhaustive):";
  const char* separator = " ";
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    help += separator + std::string(info.name) + " (" + std::string(info.summary) + ")";
    separator = ", ";
  }
  return help;
}

void declare(CLI::App& app, Options& o, bool& no_baseline) {
  const CLI::Range positive(1, 1'000'000'000);
  app.add_option("--searchers", o.searchers, searcher_help())
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--seeds", o.seeds, "Runs of each searcher on each space, seeds 0 .. N-1 (60)")
      ->check(positive);
  app.add_option("--budget", o.replay.budget, "Unique configurations a run may try (400)")
      ->check(positive);
  app.add_option("--outstanding", o.replay.outstanding,
                 "Trials under way at once (1); they end in the order of their recorded costs")
      ->check(positive);
  app.add_option("--noise", o.replay.noise_repeats,
                 "Tell the mean of K repeats drawn from the recorded ones, and judge the "
                 "configuration believed best by its clean value")
      ->check(positive);
  app.add_flag("--no-baseline", no_baseline, "Do not tell searchers where the baseline is");
  app.add_option("--starts", o.starts,
                 "What searchers propose first, from tools/bench/model_spaces.py; not peers, nor "
                 "the random searcher of the calibration check")
      ->check(CLI::ExistingFile);
  app.add_option("--expected", o.expected,
                 "What searchers expect configurations to cost: JSON with an expression over "
                 "parameters for each name of a space")
      ->check(CLI::ExistingFile);
  app.add_option("--inert", o.inert,
                 "Add N parameters of three values that change nothing: what differs in them alone "
                 "has equal machine code, is built and not measured, and is not counted")
      ->check(CLI::Range(0, 20));
  app.add_flag("--count-builds", o.replay.counts_builds, "Count what has equal code as well");
  app.add_flag("!--equal-code-untold", o.replay.tell_code,
               "Do not tell searchers what has equal code");
  app.add_option("--against", o.against, "Print paired differences to this searcher or peer");
  app.add_option("--peers", o.peers,
                 "Runs of other tuners, from tools/bench/search_peers.py; repeatable")
      ->allow_extra_args(false);
  app.add_option("--samples", o.figures.samples, "Bootstrap samples (1000)")->check(positive);
  app.add_option("--threads", o.threads, "Threads (all cores); results do not depend on it")
      ->check(positive);
  app.add_option("--json", o.json, "Write all figures and curves to this file");
  app.add_option("--plots", o.plots, "Write one SVG per space and group into this folder");
  app.add_flag("--summary", o.summary, "Print kernels and totals only, not each space");
  app.add_option("SPACE", o.spaces, "Recorded spaces")->required()->check(CLI::ExistingFile);
  app.footer(kEpilogue);
}

// Asks the factory, which knows every form of name.
void check_searcher(const std::string& name) {
  search::Parameter parameter;
  parameter.name = "x";
  parameter.values = {std::int64_t{0}, std::int64_t{1}};
  std::vector<search::Parameter> parameters;
  parameters.push_back(std::move(parameter));
  const search::ParameterSpace space(std::move(parameters), {});
  named_searcher(name, space, {});
}

Answer wrong(const std::string& message) {
  return {2, "bench-search: " + message + "\nbench-search --help lists the options\n"};
}

}  // namespace

std::vector<std::string> chosen_searchers(const std::vector<std::string>& named) {
  std::vector<std::string> chosen;
  const auto add = [&](const std::string& name) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
  };
  for (const std::string& name : named) {
    if (name == "all") {
      for (const search::SearcherInfo& info : search::searcher_catalogue()) {
        if (info.name != "exhaustive") add(std::string(info.name));
      }
    } else {
      check_searcher(name);
      add(name);
    }
  }
  return chosen;
}

std::variant<Options, Answer> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  bool no_baseline = false;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  CLI::App app{kIntroduction, "bench-search"};
  declare(app, options, no_baseline);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    app.exit(e, text, text);
    return Answer{0, text.str()};
  } catch (const CLI::ParseError& e) {
    return wrong(e.what());
  }
  try {
    options.searchers = chosen_searchers(options.searchers);
  } catch (const std::invalid_argument& e) {
    return wrong(e.what());
  }
  if (options.searchers.empty() && options.peers.empty()) {
    return wrong("name at least one searcher (--searchers) or a file of peers (--peers)");
  }
  options.replay.tell_baseline = !no_baseline;
  options.figures.budget = options.replay.budget;
  return options;
}

}  // namespace nightshift::bench
