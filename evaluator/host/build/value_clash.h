#pragma once

#include <string>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "search/argument.h"

namespace nightshift::evaluator {

// Words by which a wrapper (host_wrapper.h) has compilers say that a value does not fit: of a
// static_assert in C++, and in C in the line of a call, which compilers show.
inline constexpr const char* kHeld = "does not hold its value";
inline constexpr const char* kAskedMark = "what the values ask";

// The values in question, where the first error of `complaint` is that the function does not hold one;
// empty otherwise.
std::string value_clash(const std::string& function, const std::vector<search::Argument>& arguments,
                        const std::vector<ArgumentShape>& shapes, const std::string& complaint);

}  // namespace nightshift::evaluator
