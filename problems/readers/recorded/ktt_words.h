#pragma once

#include <string_view>

namespace nightshift::problems {

// Words of KTT's results, as its JSON and XML forms have them.
inline constexpr std::string_view kKttOk = "Ok";
inline constexpr std::string_view kKttComputationFailed = "ComputationFailed";
inline constexpr std::string_view kKttValidationFailed = "ValidationFailed";
inline constexpr std::string_view kKttCompilationFailed = "CompilationFailed";

}  // namespace nightshift::problems
