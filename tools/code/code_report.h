#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "search/configuration.h"
#include "tools/code/code_listing.h"

namespace nightshift::tools {

struct CodePart {
  std::string name;  // of the file; of CUDA the sizes that it is for
  std::uint64_t bytes = 0;
  CodeListing listing;
};

// The machine code of one trial.
struct CodeSide {
  std::string name;  // "trial 17", "the baseline"
  search::Configuration configuration;
  std::string hash;      // as it is built today
  std::string measured;  // as the study measured it; empty where it is not known
  std::vector<CodePart> parts;
};

// What `nightshift code` says, of one or of two.
struct CodeReport {
  std::string study;
  CodeKind kind = CodeKind::kHost;
  std::string built_for;  // "sm_90"; empty for a host
  std::string untold;     // why code cannot be shown; empty = it can
  std::vector<CodeSide> sides;
};

// Functions of two parts that stand beside each other: those of one name, then what is left in its
// order. A position is absent (npos) where the other has no counterpart.
struct CodePair {
  std::size_t first = std::string::npos, second = std::string::npos;
};
std::vector<CodePair> paired(const CodePart& first, const CodePart& second);

// Of one its whole listing, of two their difference; before that the mix and what is taken. Pure.
std::string code_text(const CodeReport& report);
nlohmann::ordered_json code_json(const CodeReport& report);

}  // namespace nightshift::tools
