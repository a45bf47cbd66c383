#pragma once

#include <cstdint>
#include <string_view>

namespace nightshift::search {

// Of the sources of [host]; what is none of them, such as .cu and .inl, is C++.
enum class SourceLanguage : std::uint8_t { kCpp, kC, kFortran, kAssembler, kOther };

// By the end of the file's name. kOther: a language of which the system compiler makes no function
// that C++ can call without a runtime of its own, such as Rust or Go.
SourceLanguage language_of_name(std::string_view file);
std::string_view name_of(SourceLanguage language);
// Whether a file of Fortran has fixed columns: ".f", not ".f90".
bool is_fixed_form(std::string_view file);
// Whether a file is a source by its name, of whatever language.
bool is_source_name(std::string_view file);

}  // namespace nightshift::search
