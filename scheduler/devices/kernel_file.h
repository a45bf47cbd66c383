#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nightshift::scheduler {

// What the kernel or a driver says in a file of /proc or /sys. A file that is missing or cannot be
// read says nothing.

// The first line, without blanks around it.
std::string line_in(const std::string& file);
// The number that the file begins with.
std::optional<double> number_in(const std::string& file);
// The value of the first line "name<separator>value", without blanks around it.
std::string value_in(const std::string& file, std::string_view name, char separator);
// Of the first line "word number ...", as of /proc/meminfo, vmstat and cpu.stat.
std::optional<double> number_behind(const std::string& file, std::string_view word);

}  // namespace nightshift::scheduler
