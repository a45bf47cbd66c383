#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/compare/comparison_report.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// A measurement of a program without and with a group of tuned launches, all others that are kept
// being there on both sides.
struct AppliedStep {
  std::vector<std::string> launches;  // names of their studies
  ComparisonOutcome outcome = ComparisonOutcome::kUndecided;
  double ratio = 1;  // with over without
  search::Interval interval;
  std::string failure;  // why nothing was measured: the program does not stand them
};

// What came out of `compare --apply`. All pure.
struct AppliedReport {
  ComparisonReport whole;  // the program as it is, and with all that is kept
  std::string file;        // the tuned.json
  std::vector<std::string> kept, taken_back;
  std::vector<AppliedStep> steps;  // in the order in which they were measured
};

// "a, b: loses in the program: time 10.00 % higher [8.00 %, 12.00 %]".
std::string line_of(const AppliedStep& step, const search::Problem& problem);
Document document_of(const AppliedReport& report);

// That of `whole`, and: applied [name], taken_back [name], steps [{launches, outcome ("helps",
// "loses", "no difference", "undecided", "fails"), ratio, interval, failure}]; of one that fails
// ratio and interval are null, of others `failure` is.
nlohmann::ordered_json json_of(const AppliedReport& report);

}  // namespace nightshift::tools
