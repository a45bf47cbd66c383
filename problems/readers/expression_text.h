#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "search/expression.h"
#include "search/parameter.h"

namespace nightshift::problems {

// Integer constants of a problem (the sizes of a kernel) with their names.
using Constants = std::vector<std::pair<std::string, std::int64_t>>;

// A name that stands for an expression. `text` is free of other such names; nullopt where it is
// wrong, which was noted.
struct DerivedName {
  std::string name;
  std::optional<std::string> text;
};

// The names that the expressions of one file may use.
struct KnownNames {
  std::vector<std::string> parameters;
  std::vector<Constants> cases = {{}};   // at least one; all with the same names
  std::vector<std::string> device = {};  // figures of the device, known where a kernel is launched
  std::vector<DerivedName> derived = {};
  // What would be known, and why it is not.
  std::vector<std::pair<std::string, std::string>> absent = {};

  std::vector<std::string> all() const;
};

// Parses an expression and checks its names; derived ones are replaced by what they stand for.
// `what` says which expression it is, e.g. "constraint". Notes every mistake at its place in the
// text; nullopt when there was one.
std::optional<search::Expression> read_expression(const LocatedString& source,
                                                  std::string_view what, const KnownNames& names,
                                                  Diagnostics& diagnostics);

// The same with the constants replaced by their numbers, so that it is over parameters alone, as
// search::ParameterSpace wants it: one for each case, none twice. Empty when there was a mistake.
std::vector<search::Expression> read_parameter_expressions(const LocatedString& source,
                                                           std::string_view what,
                                                           const KnownNames& names,
                                                           Diagnostics& diagnostics);
// Where it has to be the same for all cases; a mistake where it is not.
std::optional<search::Expression> read_parameter_expression(const LocatedString& source,
                                                            std::string_view what,
                                                            const KnownNames& names,
                                                            Diagnostics& diagnostics);

// Notes a comparison in a condition that is always the same (search/vain_comparison.h). what: as
// the message has the condition.
void check_comparisons(const search::Expression& condition, const std::string& what,
                       const std::vector<search::Parameter>& parameters,
                       const std::set<std::string>& narrowed, const SourceLocation& location,
                       Diagnostics& diagnostics);

// A name in the text of an expression.
struct ExpressionWord {
  std::size_t begin;
  std::size_t length;
};
// All of them in their order; what stands in quotes or belongs to a number (1e5) is left out.
std::vector<ExpressionWord> words_of(std::string_view text);

// A letter or underscore, then letters, digits and underscores.
bool is_identifier(std::string_view text);
// An identifier that is no word of the expression language.
bool is_name(std::string_view text);
// What a name has to be that is none, as the end of a sentence about it: "must be of letters, digits
// and underscores, not 'a b'".
std::string flaw_of_name(std::string_view text);

}  // namespace nightshift::problems
