#pragma once

#include <string>

#include "tools/verify/verification.h"

namespace nightshift::tools {

// Is the claim of a bundle true on this machine?
struct VerifyOptions {
  std::string bundle;
  VerifyTerms terms;
  bool dry_run = false;
  bool json = false;
};

}  // namespace nightshift::tools
