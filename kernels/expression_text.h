#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/mistakes.h"
#include "search/expression.h"

namespace nightshift::kernels {

// Integer constants of a problem (the sizes of a host kernel) with their names.
using Constants = std::vector<std::pair<std::string, std::int64_t>>;

// The names that the expressions of one file may use.
struct KnownNames {
  std::vector<std::string> parameters;
  Constants constants;

  std::vector<std::string> all() const;
};

// Parses an expression and checks its names. `what` says which one it is, e.g. "constraint". Notes
// every mistake at its place in the text; nullopt when there was one.
std::optional<search::Expression> read_expression(const PlacedText& source, std::string_view what,
                                                  const KnownNames& names, Mistakes& mistakes);

// The same with the constants replaced by their numbers, so that it is over parameters alone, as
// search::ParameterSpace wants it.
std::optional<search::Expression> read_parameter_expression(const PlacedText& source,
                                                            std::string_view what,
                                                            const KnownNames& names,
                                                            Mistakes& mistakes);

// A letter or underscore, then letters, digits and underscores.
bool is_identifier(std::string_view text);
// An identifier that is no word of the expression language.
bool is_name(std::string_view text);

}  // namespace nightshift::kernels
