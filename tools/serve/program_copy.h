#pragma once

#include <string>

namespace nightshift::tools {

inline constexpr unsigned long long kMostCopied = 64ULL << 20;  // bytes

// Copies the folder of a program with `sources` over it, so that it can be built there and leaves
// no trace in the first: files of more than 1 MiB (data) are linked to; .git, studies, nights and
// whatever folder `to` lies in are left out. Throws UsageError where more than kMostCopied would be
// copied, std::system_error.
void copy_program(const std::string& folder, const std::string& sources, const std::string& to);

}  // namespace nightshift::tools
