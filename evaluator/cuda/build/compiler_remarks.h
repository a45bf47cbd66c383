#pragma once

#include <string>
#include <string_view>

namespace nightshift::evaluator::cuda {

// What the assembler, ptxas, says of code that it has made and that may be slow, such as products
// of warpgroups that it made wait for each other: from the output of a compiler that succeeded,
// each remark once with its number behind it, "; " between. Empty where it says nothing, else 1 KiB
// at most, and printable.
std::string performance_remarks(std::string_view output);

}  // namespace nightshift::evaluator::cuda
