#pragma once

#include <string>
#include <vector>

#include "kernels/readers/diagnostics.h"
#include "kernels/readers/expression_text.h"

namespace nightshift::kernels {

struct DerivedEntry {
  std::string name;
  LocatedString text;
};

// Makes the entries, in which order they stand, names of `names`, each in terms of the others.
// Notes wrong expressions and names that are defined by themselves.
void settle_derived(const std::vector<DerivedEntry>& entries, KnownNames& names,
                    Diagnostics& diagnostics);

}  // namespace nightshift::kernels
