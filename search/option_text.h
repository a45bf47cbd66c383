#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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

// The words of a compiler's options with each folder that is relative, "-Iinclude" or "-L" "lib",
// replaced by that below `folder`. Other words stay.
std::vector<std::string> with_absolute_folders(std::vector<std::string> options,
                                               const std::string& folder);

// Where in a word of options a file or folder may stand: behind -I, -L, -B, '@' or '=', or all of a
// word that is no option. npos: nowhere, as in -DNAME=VALUE.
std::size_t path_in_option(std::string_view word);

}  // namespace nightshift::search
