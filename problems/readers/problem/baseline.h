#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "problems/readers/expression_text.h"
#include "problems/readers/problem/found_starts.h"
#include "problems/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// One line of [baseline].
struct BaselineEntry {
  std::string name;
  search::Value value;
  SourceLocation name_location, value_location;
  LocatedString text = {};  // of a value that is a text
};

std::vector<BaselineEntry> read_baseline(TableReader& root);

// A configuration that the file names besides the baseline.
struct NamedEntries {
  std::vector<BaselineEntry> entries;
  SourceLocation location;
};
// search.starts and those of search.starts_file, which the searcher tries first, and
// acceptance.canary, which is known to be slower.
struct NamedConfigurations {
  std::vector<NamedEntries> starts;
  StartsFiles found;
  std::optional<NamedEntries> canary;
};
NamedConfigurations read_named(TableReader& root, const std::string& problem_file);

// Which values a named configuration may have.
struct NamedForm {
  const KnownNames& names;  // all parameters of the file, and the constants
  // Whether a text that is no value of its parameter is an expression over the constants.
  bool expressions = false;
};

// Completes them by the baseline and hands them to the problem. After set_baseline().
void set_named(search::Problem& problem, const NamedConfigurations& named, const NamedForm& form,
               Diagnostics& diagnostics);

// Makes `entries`, completed by the defaults, the problem's baseline; none leave it empty. Notes
// unknown parameters and values that a parameter does not have.
void set_baseline(search::Problem& problem, const std::vector<BaselineEntry>& entries,
                  const NamedForm& form, Diagnostics& diagnostics);

// Notes the constraints that the baseline violates and the conditional parameters that it sets
// although they are off. `location` is where the baseline is named; unknown where it is the
// defaults.
void check_baseline(const search::Problem& problem, const SourceLocation& location,
                    Diagnostics& diagnostics);

}  // namespace nightshift::problems
