#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "problems/recorded_space.h"
#include "search/parameter_space.h"
#include "tools/bench/search/json_report.h"
#include "tools/bench/search/options.h"
#include "tools/bench/search/results.h"
#include "tools/bench/search/svg_plot.h"
#include "tools/bench/search/text_report.h"
#include "tools/usage_error.h"

namespace nightshift::bench {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << text << std::flush)) throw tools::UsageError(path.string() + ": cannot be written");
}

PlotLine line_of(const SearcherResult& searcher, const Figures& figures) {
  PlotLine line;
  line.name = searcher.name;
  for (const Estimate& e : figures.curve) {
    line.values.push_back(e.value);
    line.bands.push_back(e.interval());
  }
  return line;
}

PlotLine uniform_drawing(const Results& results, const Group& group,
                         const std::vector<std::size_t>& places) {
  PlotLine line;
  line.name = "uniform drawing";
  line.dashed = true;
  for (const std::size_t place : places) {
    double sum = 0;
    for (const std::size_t s : group.members) {
      sum += expected_random_fraction(results.spaces[s], place);
    }
    line.values.push_back(sum / static_cast<double>(group.members.size()));
  }
  return line;
}

void write_plots(const Results& results, const Options& options) {
  const fs::path folder = options.plots;
  const auto places = logarithmic_places(options.replay.budget, kCurvePlaces);
  for (const Group& group : groups_of(results.spaces)) {
    std::vector<PlotLine> lines;
    for (const SearcherResult& searcher : results.searchers) {
      const auto figures = figures_in(searcher, group);
      if (figures && coverage(searcher, group) == group.members.size()) {
        lines.push_back(line_of(searcher, *figures));
      }
    }
    lines.push_back(uniform_drawing(results, group, places));
    const bool all = group.kind == Group::Kind::kAll;
    const std::string prefix = group.kind == Group::Kind::kKernel ? "kernel-" : "";
    write_file(folder / (all ? "all.svg" : prefix + group.name + ".svg"),
               convergence_plot(group.name, places, lines));
  }
}

// Found out before the replays, which take long; leaves what is in the file.
void check_writable(const fs::path& path) {
  if (!std::ofstream(path, std::ios::app)) {
    throw tools::UsageError(path.string() + ": cannot be written");
  }
}

void prepare_outputs(const Options& options) {
  if (!options.json.empty()) check_writable(options.json);
  if (options.plots.empty()) return;
  std::error_code error;
  fs::create_directories(options.plots, error);
  if (error) throw tools::UsageError(options.plots + ": " + error.message());
}

int run(const Options& options) {
  prepare_outputs(options);
  const Results results = measure(options);
  std::fputs(text_report(results, options).c_str(), stdout);
  if (!options.json.empty()) write_file(options.json, json_report(results, options));
  if (!options.plots.empty()) write_plots(results, options);
  return results.calibration.good() ? 0 : 1;
}

int complain(int code, const char* message) {
  std::fprintf(stderr, "bench-search: %s\n", message);
  return code;
}

int main_of(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(arguments);
  if (const Answer* answer = std::get_if<Answer>(&parsed)) {
    std::fputs(answer->text.c_str(), answer->code == 0 ? stdout : stderr);
    return answer->code;
  }
  try {
    return run(std::get<Options>(parsed));
  } catch (const tools::UsageError& e) {
    return complain(2, e.what());
  } catch (const problems::RecordedSpaceError& e) {
    return complain(2, e.what());
  } catch (const search::SpaceError& e) {
    return complain(2, e.what());
  } catch (const std::exception& e) {
    return complain(1, e.what());
  }
}

}  // namespace
}  // namespace nightshift::bench

int main(int argc, char** argv) {
  return nightshift::bench::main_of(std::vector<std::string>(argv + 1, argv + argc));
}
