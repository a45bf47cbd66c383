#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::tools {

enum class CodeLanguage : std::uint8_t { kCpp, kPython };

// A condition over sizes (search::SizeCondition::holds) as an expression of a language, with the sizes
// called `names`; in C++ with the functions of kConditionFunctions. Never, where it is no program
// (search/table/size_program.h).
std::string condition_text(const std::string& condition, const std::vector<std::string>& sizes,
                           const std::vector<std::string>& names, CodeLanguage language);

// What such a header defines once, and the names that no size may take there.
extern const std::string_view kConditionFunctions;
inline constexpr std::string_view kConditionNames[] = {"rounded_down", "remainder_of", "of_bits"};

}  // namespace nightshift::tools
