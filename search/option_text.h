#pragma once

#include <string>

#include "search/argument.h"
#include "search/value.h"

namespace nightshift::search {

// What a parameter adds to the compiler's command line, before it is split at blanks; empty where
// the value is.
std::string option_text(const FlagParameter& flag, const Value& value);

}  // namespace nightshift::search
