#pragma once

#include "scheduler/sources/source_files.h"

namespace nightshift::fakes {

// Sources that are as a script says.
struct FakeSources final : scheduler::SourceFiles {
  using Standing = scheduler::SourceLook::Standing;
  scheduler::SourceLook look() override {
    if (standing != Standing::kAsBegun && looks_until_back > 0 && --looks_until_back == 0) {
      standing = Standing::kAsBegun;
      disturbed = true;
    }
    scheduler::SourceLook now{standing, standing == Standing::kAsBegun ? "" : "k.cc", disturbed};
    disturbed = false;
    return now;
  }
  void become(Standing what, int looks = 0) {
    standing = what;
    disturbed = true;
    looks_until_back = looks;
  }

  Standing standing = Standing::kAsBegun;
  bool disturbed = false;
  int looks_until_back = 0;  // 0: it stays so
};

}  // namespace nightshift::fakes
