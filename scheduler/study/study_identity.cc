#include "scheduler/study/study_identity.h"

#include <algorithm>

namespace nightshift::scheduler {

namespace {

std::vector<std::string> changes_by(const search::IdentityPart& part,
                                    const search::Identity& known) {
  std::vector<std::string> changes;
  for (const search::IdentityChange& change : search::changes_between(known, {part})) {
    if (!change.matters) continue;
    changes.push_back("since the study was measured, " + change.text +
                      ": figures from before stand beside those from after");
  }
  return changes;
}

}  // namespace

std::vector<StudyIdentity::News> StudyIdentity::take(DeviceIndex index, const Device& device) {
  taken_.resize(std::max(taken_.size(), index + 1));
  if (taken_[index] == device.made_of) return {};
  taken_[index] = device.made_of;
  search::Identity parts = device.made_of;
  parts.push_back({search::IdentityPart::Kind::kDevice, device.key(), device.kind()});
  std::vector<News> news;
  for (const search::IdentityPart& part : parts) {
    if (part.value.empty() || std::ranges::find(known_, part) != known_.end()) continue;
    news.push_back({part, changes_by(part, known_)});
    std::erase_if(known_, [&](const search::IdentityPart& before) {
      return before.kind == part.kind && before.name == part.name;
    });
    known_.push_back(part);
  }
  return news;
}

}  // namespace nightshift::scheduler
