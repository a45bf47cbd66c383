#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/table/table_shape.h"

namespace nightshift::search {

// What a configuration's constraint asks of the sizes of a call.
struct SizeCondition {
  std::string constraint;  // as the problem has it: "N % V == 0"
  // Over sizes alone, with the configuration's values: "N % 48 == 0". Empty where a table cannot say
  // whether it holds: it never does then.
  std::string holds;
  friend bool operator==(const SizeCondition&, const SizeCondition&) = default;
};

struct SizeRange {
  std::int64_t least = 1, most = 1;  // of the measured shapes
};

// Whether every form of a table can ask a condition, and answers alike: it is an expression over
// `names` that is a program (size_program.h), and for no sizes in these ranges it divides by zero or
// comes to a number beyond 2^53, which doubles no longer tell apart.
bool is_askable(const std::string& expression, const std::vector<std::string>& names,
                const std::vector<SizeRange>& ranges);
// The program; nullopt where there is none.
std::optional<std::string> condition_program(const std::string& expression,
                                             const std::vector<std::string>& names);

bool holds(const SizeCondition& condition, const Sizes& sizes);

// What of a configuration bears on sizes that nobody measured.
struct CandidateGuard {
  std::vector<std::int64_t> values;  // its whole numbers above 1
  std::vector<SizeCondition> conditions;
};

}  // namespace nightshift::search
