#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/job.h"
#include "search/identity.h"

namespace nightshift::scheduler {

// What a study's figures were measured with, as devices take part one after the other.
class StudyIdentity {
 public:
  StudyIdentity() = default;
  explicit StudyIdentity(search::Identity known) : known_(std::move(known)) {}

  // A part that was not there before, or was another.
  struct News {
    search::IdentityPart part;
    std::vector<std::string> changes;  // a sentence each: why figures from before are others
  };
  // Of what is measured on the device from now on; each part is news once.
  std::vector<News> take(DeviceIndex index, const Device& device);

 private:
  search::Identity known_;
  // Of each device what was taken last: most evaluations find it as it was.
  std::vector<std::optional<search::Identity>> taken_;
};

}  // namespace nightshift::scheduler
