#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "problems/override.h"

namespace nightshift::problems {

// What the figures of a configuration follow from in a problem of TOML or JSON: values as they are
// written, by dotted key. Not what is searched, for how long and how it is judged. None where the
// text, which readers have accepted, is neither.
std::map<std::string, std::string> terms_of(std::string_view text,
                                            const std::vector<Override>& overrides);

}  // namespace nightshift::problems
