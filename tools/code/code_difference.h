#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/code/code_listing.h"

namespace nightshift::tools {

// A run of instructions: in both, in the first only, in the second only. Positions are of the side
// that has it; of kBoth of the second.
struct CodeRun {
  enum class Side : std::uint8_t { kBoth, kFirst, kSecond };
  Side side = Side::kBoth;
  std::size_t begin = 0, count = 0;
  friend bool operator==(const CodeRun&, const CodeRun&) = default;
};

// The shortest edit from one to the other by CodeInstruction::normal (Myers, "An O(ND) Difference
// Algorithm", 1986). Beyond kMostEdits edits what the two begin and end with alike is kept, and all
// between is exchanged: such a difference is not read line by line.
inline constexpr std::size_t kMostEdits = 3000;
std::vector<CodeRun> difference(const std::vector<CodeInstruction>& first,
                                const std::vector<CodeInstruction>& second);

}  // namespace nightshift::tools
