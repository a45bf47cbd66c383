#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/bisect/bisect_points.h"
#include "tools/bisect/bisect_report.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

struct BisectTerms {
  std::string configuration = "baseline";  // as contender.h reads it, in the problem of each point
  std::string devices = "all";
  std::optional<std::uint64_t> seed;
};

// Builds and measures the ends, then halves what is between them as long as the bad end is worse:
// each point in pairs against the good end, at its share of the level. Equal machine code is
// measured once. A point that does not build, fails, is called otherwise than the good end, or
// cannot be judged is skipped. At last the first bad one is measured against the last good one.
// Throws scheduler::DeviceError where there is none to begin with.
BisectReport bisected(BisectPoints& points, const TemporaryFolder& folder,
                      const BisectTerms& terms);

}  // namespace nightshift::tools
