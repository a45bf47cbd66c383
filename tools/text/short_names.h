#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nightshift::tools {

// Names of any origin beside each other, each as one_line(); those that are wider than `width` cut with "..." at the end, in the
// middle or in front: wherever no two that differ become alike. Where each cut makes some alike, all
// stay whole.
std::vector<std::string> short_names(std::vector<std::string> names, std::size_t width);

}  // namespace nightshift::tools
