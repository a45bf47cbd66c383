#pragma once

#include <span>
#include <string>

namespace nightshift::evaluator {

// The command line that a launcher starts: "./k" and what is behind it of "env X=1 ./k", "taskset
// -c 0 ./k" and the like, by a path too. Empty where `words` begin with no launcher that we know,
// have an option of it that we do not, or start on another PATH or in another folder.
std::span<const std::string> launched_words(std::span<const std::string> words);

}  // namespace nightshift::evaluator
