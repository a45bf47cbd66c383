#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/bench/search/figures.h"
#include "tools/bench/search/replay.h"

namespace nightshift::bench {

struct Options {
  std::vector<std::string> searchers;  // known ones, each once
  std::vector<std::string> spaces;     // files
  std::vector<std::string> peers;      // files of recorded runs of other tuners
  std::string starts;                  // file of what searchers propose first; empty for none
  std::string expected;  // file of what configurations are expected to cost; empty for none
  std::size_t seeds = 60;
  std::size_t threads = 1;
  std::size_t inert = 0;  // parameters that change nothing, added to each space
  ReplaySettings replay;
  FigureSettings figures;
  std::string against;  // a searcher's or a peer's name; empty for no comparison
  std::string json;     // file; empty for none
  std::string plots;    // folder; empty for none
  bool summary = false;
};

// What to print instead of running, and the exit code: 0 for --help, 2 for a wrong command line.
struct Answer {
  int code = 0;
  std::string text;
};

// Known ones, each once; "all" is every one of the catalogue but exhaustive. Throws
// std::invalid_argument for others.
std::vector<std::string> chosen_searchers(const std::vector<std::string>& named);

std::variant<Options, Answer> parse_options(const std::vector<std::string>& arguments);

}  // namespace nightshift::bench
