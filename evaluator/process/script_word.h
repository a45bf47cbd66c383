#pragma once

#include <optional>
#include <span>
#include <string>

namespace nightshift::evaluator {

// The script that a line of an interpreter and its arguments runs: the first word behind options that
// are known to leave it there. nullopt: no interpreter that we know, no script (-c, -m, -e), or
// an option that is not known.
std::optional<std::string> script_word(std::span<const std::string> words);

}  // namespace nightshift::evaluator
