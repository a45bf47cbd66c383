#pragma once

#include <span>

#include "search/expression/bounds.h"
#include "search/expression/term.h"

namespace nightshift::search {

// Of a term from those of its operands. Rounding is monotone, so the bounds are exact ones: they
// are calculated by the operations that the values are.
Bounds bounds_of(const Term& term, std::span<const Bounds> operands);

}  // namespace nightshift::search
