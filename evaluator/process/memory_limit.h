#pragma once

#include <cstdint>
#include <string>

#include "search/trial.h"

namespace nightshift::evaluator {

// What a program under limits.memory said, with that limit before it where the words say that
// memory was short. `bytes`: the limit, 0 for none.
std::string with_memory_limit(const std::string& words, std::uint64_t bytes);
// The same of an end, which may be without words: who ignores that it was given no memory ends by a
// signal such as SIGSEGV.
search::Crashed with_memory_limit(search::Crashed crash, std::uint64_t bytes);

}  // namespace nightshift::evaluator
