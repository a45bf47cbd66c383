#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/statistics/interval.h"
#include "search/table/carried_over.h"
#include "search/table/table_rule.h"

namespace nightshift::tools {

// What BATCH/table/table.json holds (docs/tables.md has its members): the rule, and what it rests
// on. Formats and look-ups are made of this alone.

inline constexpr std::string_view kTableFormat = "nightshift-table/1";
// Of search::ShapeFeature::Kind, in its order.
inline constexpr std::string_view kFeatureWords[] = {"size", "product", "tiles", "divisible",
                                                     "power-of-two"};

// What is known of one row.
struct RowEvidence {
  std::string study;         // in the batch
  std::size_t proposed = 0;  // configuration of the matrix; 0: the default, or it was dropped
  double ratio = 1;          // choice / default, of the pairs that show it to be no worse
  search::Interval interval{1, 1};
  std::size_t pairs = 0;
  std::string reason;  // a sentence
};

struct TableDocument {
  std::string problem;       // its name
  std::string problem_file;  // as the batch named it
  std::string made;          // date and time
  std::string version;       // of nightshift
  std::string objective;     // "time"
  bool maximised = false;    // more of it is better; ratios are of costs all the same
  std::vector<std::string> devices;
  std::vector<std::string> kinds;  // of these, each once
  std::vector<std::pair<std::string, std::string>>
      made_of;  // sources, compiler, driver: hashes, words
  // Values of the default where it is the kernel itself with the baseline's parameters; empty where
  // it is another source.
  search::Configuration default_values;
  search::TableRule rule;
  std::vector<RowEvidence> evidence;  // by row
  search::TableClaim claim;
  // Shapes that nobody tuned: what the rule answers, and its pairs with the default.
  struct Unseen {
    search::Sizes sizes;
    std::size_t choice = 0;
    double ratio = 1;  // answer / default
    std::size_t pairs = 0;
  };
  std::vector<Unseen> unseen;
  search::TableClaim unseen_claim;  // over all of them; no claim of the table
  // What the choices of tables of other kinds of device cost on this one.
  struct Carried {
    std::string kind;
    search::CarriedOver cost;
  };
  std::vector<Carried> carried;
  // How it was chosen, for pages and people. A point of the curve of k, as of
  // search::KeptConfigurations:
  struct Kept {
    std::size_t configurations = 0;
    double geometric_mean = 1, of_best = 1, worst = 1;
    std::size_t beyond_slack = 0;
  };
  std::vector<Kept> curve;
  std::size_t k = 0;
  std::vector<search::LeftOut> depths;
  std::size_t depth = 0;
  std::size_t leaf_tests = 0, leaf_tests_shown = 0;
  double slack = 0.03, margin = 0.01, level = 0.01;
};

// "time 15.00 % lower [14.00 %, 16.00 %]"; of what is maximised higher.
std::string change_text(const TableDocument& document);

nlohmann::ordered_json table_json(const TableDocument& document);
// Throws UsageError, with `file` in it, where the text is no table or is not whole: positions that
// point nowhere, a tree with circles, sizes that do not fit, another version.
TableDocument read_table_document(std::string_view text, const std::string& file);

}  // namespace nightshift::tools
