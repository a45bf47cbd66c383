#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::ipc {

// CPU cores by the kernel's numbers.

std::vector<int> usable_cores();  // that this process may run on, ascending; empty = unknown

// As an argument of our own programs: "1,2,5", and "-" for no cores.
std::string core_argument(const std::vector<int>& cores);
// nullopt where the text is no such argument.
std::optional<std::vector<int>> parse_core_argument(std::string_view text);

// For people: "0-3,6" for ascending cores with `separator` ','. Empty for no cores.
std::string core_ranges(const std::vector<int>& cores, char separator);

}  // namespace nightshift::ipc
