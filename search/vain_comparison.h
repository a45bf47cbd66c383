#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/expression.h"
#include "search/parameter.h"

namespace nightshift::search {

// A comparison by ==, !=, in or not in whose answer is always the same since it asks whether a
// number is a text, or whether a parameter has a text that none of its values is: whoever wrote it
// meant another value. Numbers that are no value are no such mistake: conditions are written for
// more spaces than one. `text` is the one that is no value and `values` are the parameter's, where
// that is the mistake.
struct VainComparison {
  std::string words;  // "it compares ...: that is never true"
  std::string text = {};
  std::vector<std::string> values = {};
};

// The first one of an expression whose sizes and derived names have been replaced. narrowed:
// parameters whose values are fewer than whoever wrote the expression knew of, so that texts are
// missing among them for good reason.
std::optional<VainComparison> vain_comparison(const Expression& expression,
                                              const std::vector<Parameter>& parameters,
                                              const std::set<std::string>& narrowed = {});

}  // namespace nightshift::search
