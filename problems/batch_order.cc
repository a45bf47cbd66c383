#include "problems/batch_order.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nightshift::problems {
namespace {

// Whoever waits, directly or not, for itself would never begin.
void check_circles(const std::vector<OrderedStudy>& studies, Diagnostics& diagnostics) {
  std::set<std::string> ended;
  bool found = true;
  while (found) {
    found = false;
    for (const OrderedStudy& study : studies) {
      const bool due = std::ranges::all_of(
          study.after, [&](const std::string& name) { return ended.contains(name); });
      found = (due && ended.insert(study.name).second) || found;
    }
  }
  for (const OrderedStudy& study : studies) {
    if (ended.contains(study.name)) continue;
    diagnostics.add({}, "study '" + study.name + "' comes after itself, through its 'after'");
    return;
  }
}

}  // namespace

void settle_order(const std::vector<OrderedStudy>& studies, const StudyFamilies& families,
                  Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const OrderedStudy& study : studies) names.insert(study.name);
  std::vector<std::string> known(names.begin(), names.end());
  for (const auto& [base, all] : families) known.push_back(base);
  for (const OrderedStudy& study : studies) {
    std::vector<std::string> after;
    for (const std::string& name : study.after) {
      if (const auto family = families.find(name); family != families.end()) {
        after.insert(after.end(), family->second.begin(), family->second.end());
      } else if (names.contains(name)) {
        after.push_back(name);
      } else {
        diagnostics.add({}, "study '" + study.name + "' comes after '" + name +
                                "', which is no study of this batch" + suggestion(name, known));
      }
    }
    study.after = std::move(after);
  }
  if (diagnostics.empty()) check_circles(studies, diagnostics);
}

}  // namespace nightshift::problems
