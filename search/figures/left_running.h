#pragma once

#include <set>
#include <string>
#include <string_view>

#include "search/measurement.h"

namespace nightshift::search {

// The condition of an evaluation of a program that left processes running behind its end: what
// these are called, "ssh-agent, worker".
inline constexpr std::string_view kLeftRunningCondition = "left running";

using ProcessNames = std::set<std::string>;
std::string words_of(const ProcessNames& names);  // as they stand in the condition
ProcessNames left_running_in(const Measurement& measurement);
// Those of `names` that are not among `usual`.
ProcessNames beyond(const ProcessNames& names, const ProcessNames& usual);

// What is told of a program that left some running; `whose` is a noun, `other` one that does not.
std::string left_running_words(std::string_view whose, const ProcessNames& names);
std::string left_running_complaint(std::string_view whose, const ProcessNames& names,
                                   std::string_view other);

}  // namespace nightshift::search
