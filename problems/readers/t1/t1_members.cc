#include "problems/readers/t1/t1_members.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/nearest.h"

namespace nightshift::problems {
namespace {

using Names = std::vector<std::string>;

// What is read of the object, or of each one of the list, that stands behind these members.
const std::map<std::string, Names, std::less<>>& known_members() {
  static const Names kExtents = {"X", "Y", "Z"};
  static const std::map<std::string, Names, std::less<>> kKnown = {
      {"", {"General", "ConfigurationSpace", "KernelSpecification", "Search", "Budget"}},
      {"/General", {"TimeUnit"}},
      {"/ConfigurationSpace", {"TuningParameters", "Conditions"}},
      {"/ConfigurationSpace/TuningParameters", {"Name", "Type", "Values", "Default"}},
      {"/ConfigurationSpace/Conditions", {"Expression"}},
      {"/KernelSpecification",
       {"Language", "KernelName", "KernelFile", "CompilerOptions", "GlobalSizeType", "GlobalSize",
        "LocalSize", "GridDivX", "GridDivY", "GridDivZ", "ProblemSize", "SharedMemory", "Arguments",
        "ReferenceArguments"}},
      {"/KernelSpecification/GlobalSize", kExtents},
      {"/KernelSpecification/LocalSize", kExtents},
      {"/KernelSpecification/Arguments",
       {"Name", "Type", "MemoryType", "MemType", "AccessType", "FillType", "FillValue", "Size",
        "DataSource"}},
      {"/Search", {"Name"}},
      {"/Budget", {"Type", "BudgetValue"}}};
  return kKnown;
}

class MemberCheck {
 public:
  MemberCheck(const JsonLocations& locations, Diagnostics& diagnostics)
      : locations_(locations), diagnostics_(diagnostics) {}

  // `place`: the pointer without the numbers of lists.
  void look_at(const nlohmann::json& json, const std::string& place, const std::string& pointer) {
    const auto known = known_members().find(place);
    if (known == known_members().end()) return;
    for (std::size_t i = 0; json.is_array() && i < json.size(); ++i) {
      if (json[i].is_object()) look_at(json[i], place, pointer + "/" + std::to_string(i));
    }
    if (!json.is_object()) return;
    for (const auto& [name, value] : json.items()) {
      check(json, known->second, name, pointer);
      look_at(value, place + "/" + name, pointer + "/" + name);
    }
  }

 private:
  void check(const nlohmann::json& object, const Names& known, const std::string& name,
             const std::string& pointer) const {
    if (std::ranges::find(known, name) != known.end()) return;
    const std::string near = base::nearest(name, known);
    if (near.empty() || object.contains(near)) return;
    diagnostics_.add(
        locations_.find(pointer + "/" + name),
        in_quotes(name) + " is no member that is read; did you mean " + in_quotes(near) + "?");
  }

  const JsonLocations& locations_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_t1_members(const nlohmann::json& json, const JsonLocations& locations,
                      Diagnostics& diagnostics) {
  MemberCheck(locations, diagnostics).look_at(json, "", "");
}

}  // namespace nightshift::problems
