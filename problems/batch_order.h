#pragma once

#include <map>
#include <string>
#include <vector>

#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

// By the name of an entry of a batch file: the names of the studies that came of it.
using StudyFamilies = std::map<std::string, std::vector<std::string>>;

// A study of a batch, and those that have to end before it begins. Both outlive this.
struct OrderedStudy {
  const std::string& name;
  std::vector<std::string>& after;
};

// In `after` the names of studies take the place of those of entries. Notes names that no study of
// the batch has, and a study that comes after itself.
void settle_order(const std::vector<OrderedStudy>& studies, const StudyFamilies& families,
                  Diagnostics& diagnostics);

}  // namespace nightshift::problems
