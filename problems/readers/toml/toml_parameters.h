#pragma once

#include <vector>

#include "problems/readers/expression_text.h"
#include "problems/readers/table_reader.h"
#include "search/argument.h"
#include "search/parameter.h"

namespace nightshift::problems {

// Reads [parameters], each entry a list, a list expression as text, or a table with one of values,
// range and powers_of_two, and perhaps default, when and flag. Every name that stands there becomes
// known in `names`, also those whose entry is wrong. `flags` is nullptr where there are no compiler
// options.
std::vector<search::Parameter> read_parameters(TableReader& root, KnownNames& names,
                                               std::vector<search::FlagParameter>* flags);

}  // namespace nightshift::problems
