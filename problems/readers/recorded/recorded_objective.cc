#include "problems/readers/recorded/recorded_objective.h"

#include "base/text.h"
#include "search/figures/rate_words.h"
#include "search/unit.h"

namespace nightshift::problems {
namespace {

using search::Direction;
using search::Tendency;

bool is_cost_unit(const std::string& unit) {
  const search::Unit* const known = search::find_unit(unit);
  if (known == nullptr) return false;
  return known->dimension == search::Dimension::kTime ||
         known->dimension == search::Dimension::kEnergy ||
         known->dimension == search::Dimension::kPower;
}

// What is counted by a rate's unit is a rate, whatever its name is: "memory" in GB/s. In a unit of
// what is spent it is none.
Tendency tendency_of_named(const std::string& name, const std::string& unit) {
  if (search::tendency_of(unit) == Tendency::kRate) {
    const bool is_unwanted = search::tendency_of(name + " per second") == Tendency::kCost;
    return is_unwanted ? Tendency::kCost : Tendency::kRate;
  }
  return is_cost_unit(unit) ? Tendency::kCost : search::tendency_of(name);
}

}  // namespace

search::Objective objective_named(const std::string& name, const std::string& its_unit) {
  if (name == "time") return {};
  const bool is_higher = search::is_of_more(tendency_of_named(name, its_unit));
  const bool names_unit = name.find("/s") != std::string::npos ||
                          name.find("/W") != std::string::npos ||
                          name.find("/J") != std::string::npos;
  return {name,
          names_unit         ? name
          : name == "energy" ? "J"
                             : "",
          is_higher ? Direction::kMaximise : Direction::kMinimise};
}

std::string direction_remark(const search::Objective& objective) {
  if (tendency_of_named(objective.name, objective.unit) != Tendency::kNone) return "";
  return "nothing says whether " + base::in_quotes(objective.name) +
         " is better when it is lower or higher: lower is assumed; a problem file with [recorded] "
         "and an [[objective]] of that name with direction = \"maximise\" says higher";
}

}  // namespace nightshift::problems
