#include "tools/problem/made_of.h"

#include <algorithm>
#include <set>
#include <utility>

#include "evaluator/files_behind.h"
#include "scheduler/devices/machine_identity.h"
#include "tools/evaluator_program.h"

namespace nightshift::tools {
namespace {

std::set<std::string> devices_of(const scheduler::History& history) {
  std::set<std::string> devices;
  for (const scheduler::TrialRecord& trial : history.trials) {
    if (trial.finished) devices.insert(trial.finished->device);
  }
  return devices;
}

}  // namespace

search::Identity made_of(const search::Problem& problem) {
  search::Identity identity = evaluator::files_behind(problem);
  const std::string evaluator = search::is_on_gpus(problem) ? evaluator_program() : "";
  for (search::IdentityPart& part : scheduler::machine_identity(problem, evaluator)) {
    identity.push_back(std::move(part));
  }
  return identity;
}

search::Identity made_of(const search::Problem& problem,
                         const std::vector<scheduler::Device>& devices_of_nodes) {
  search::Identity identity = evaluator::files_behind(problem);
  std::erase_if(identity, [](const search::IdentityPart& part) {
    return part.kind == search::IdentityPart::Kind::kCompilerProgram;
  });
  for (const scheduler::Device& device : devices_of_nodes) {
    for (const search::IdentityPart& part : device.made_of) {
      if (std::ranges::find(identity, part) == identity.end()) identity.push_back(part);
    }
  }
  return identity;
}

std::vector<search::IdentityChange> changes_since(const scheduler::History& history,
                                                  const search::Identity& now) {
  const std::set<std::string> devices = devices_of(history);
  search::Identity concerned;
  for (const search::IdentityPart& part : now) {
    const bool elsewhere =
        search::is_of_one_device(part) && !devices.contains(search::subject_of(part));
    if (!elsewhere) concerned.push_back(part);
  }
  return search::changes_between(identity_of(history), concerned);
}

std::string list_of_changes(const std::vector<search::IdentityChange>& changes, bool matter) {
  std::vector<std::string> texts;
  for (const search::IdentityChange& change : changes) {
    if (change.matters == matter) texts.push_back(change.text);
  }
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    list += (i == 0 ? "" : i + 1 < texts.size() ? ", " : " and ") + texts[i];
  }
  return list;
}

std::string told_changes(const std::string& folder, const scheduler::History& history,
                         const search::Identity& now) {
  const std::vector<search::IdentityChange> changes = changes_since(history, now);
  const std::string matter = list_of_changes(changes, true);
  const std::string others = list_of_changes(changes, false);
  if (matter.empty() && others.empty()) return "";
  return "since " + folder + " was measured, " + (matter.empty() ? others : matter) +
         (matter.empty() ? ", which should not change figures"
                         : ": its figures are not those of today");
}

}  // namespace nightshift::tools
