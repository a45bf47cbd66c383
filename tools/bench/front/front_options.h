#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/bench/front/front_figures.h"
#include "tools/bench/search/options.h"

namespace nightshift::bench {

struct FrontOptions {
  std::vector<std::string> searchers = {"auto", "nsga2", "random"};
  std::vector<std::string> spaces;  // FILE or FILE+OTHER, all there
  std::vector<std::string> absent;  // those of the command line that are not
  FrontSettings settings;
  std::string json;  // file; empty for none
  bool summary = false;
};

std::variant<FrontOptions, Answer> parse_front_options(const std::vector<std::string>& arguments);

}  // namespace nightshift::bench
