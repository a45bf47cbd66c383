#pragma once

#include <string>
#include <vector>

#include "search/argument.h"
#include "search/configuration.h"
#include "search/value.h"

namespace nightshift::search {

// What a parameter adds to the compiler's command line, before it is split at blanks; empty where
// the value is.
std::string option_text(const FlagParameter& flag, const Value& value);

// The words that all of `flags` add for a configuration, in its order: their texts, split at
// blanks.
std::vector<std::string> option_words(const std::vector<FlagParameter>& flags,
                                      const Configuration& configuration);

}  // namespace nightshift::search
