#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/readers/expression_text.h"
#include "problems/readers/json_reader.h"
#include "search/parameter.h"

namespace nightshift::problems {

// What the expressions of a T1 file may use. Besides names there are two forms that are Kernel
// Tuner's own, in which a size is worked out before there is a configuration: ProblemSize[0], and
// max(NAME) or min(NAME) over all values of a parameter.
struct T1Names {
  KnownNames known;
  std::vector<search::Parameter> parameters;
  // The extents of ProblemSize as texts, none where the file has none. A list has an index behind
  // its name, a single number has none.
  std::vector<std::string> problem_size;
  bool is_list = false;
};

// ProblemSize into `names`: a number, a text, or a list of one to three of them.
void read_t1_problem_size(const JsonReader& kernel, T1Names& names);

// A number or a text, as the text of an expression; nullopt for anything else.
std::optional<std::string> t1_expression_text(const nlohmann::json& node);

// `text` with those two forms put in. Throws search::ExpressionError.
std::string t1_expanded(std::string_view text, const T1Names& names);

// `text` as an expression; notes what is wrong with it at `key` of `reader`.
std::optional<search::Expression> t1_expression(const JsonReader& reader, std::string_view key,
                                                std::string text, const T1Names& names);

// A number, or an expression as text; it must be there.
std::optional<search::Expression> read_t1_amount(const JsonReader& reader, std::string_view key,
                                                 const T1Names& names);

}  // namespace nightshift::problems
