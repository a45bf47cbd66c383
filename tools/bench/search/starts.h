#pragma once

#include <string>
#include <vector>

#include "tools/bench/search/replay_space.h"

namespace nightshift::bench {

// Gives spaces what searchers are to propose first. Reads what tools/bench/model_spaces.py --starts
// writes: {"softmax_641x15295": [17, 3, ...]}, configurations by their position in the file of the
// space, from 0, each once. Spaces that the file does not name begin with nothing. Throws
// UsageError, also where it names none of them.
void read_starts(const std::string& file, std::vector<ReplaySpace>& spaces);
// The same of what searchers are to expect: {"fp8_gemm_h200": "BLOCK_M * BLOCK_N"}, over
// parameters.
void read_expected(const std::string& file, std::vector<ReplaySpace>& spaces);

}  // namespace nightshift::bench
