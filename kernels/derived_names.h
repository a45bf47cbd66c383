#pragma once

#include <string>
#include <vector>

#include "kernels/expression_text.h"
#include "kernels/mistakes.h"

namespace nightshift::kernels {

struct DerivedEntry {
  std::string name;
  PlacedText text;
};

// Makes the entries, in which order they stand, names of `names`, each in terms of the others.
// Notes wrong expressions and names that are defined by themselves.
void settle_derived(const std::vector<DerivedEntry>& entries, KnownNames& names,
                    Mistakes& mistakes);

}  // namespace nightshift::kernels
