#pragma once

#include <string>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "problems/readers/expression_text.h"

namespace nightshift::problems {

struct DerivedEntry {
  std::string name;
  LocatedString text;
};

// Makes the entries, in which order they stand, names of `names`, each in terms of the others.
// Notes wrong expressions and names that are defined by themselves.
void settle_derived(const std::vector<DerivedEntry>& entries, KnownNames& names,
                    Diagnostics& diagnostics);

}  // namespace nightshift::problems
