#pragma once

#include <string>
#include <string_view>

namespace nightshift::evaluator {

// Where and why a printed JSON object breaks, of an output that has no whole one: "the JSON object
// of line 2 breaks in line 5, column 3: a comma stands before '}'; the line is
// '}'". Of several the one that goes farthest.
// Empty where no line begins one.
std::string broken_object(std::string_view output);

// The same of a server's answer, which is one line: "it is not closed in its line: print each answer
// in one line". Empty where it is whole.
std::string broken_line(std::string_view line);

}  // namespace nightshift::evaluator
