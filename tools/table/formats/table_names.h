#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/table/formats/table_conditions.h"
#include "tools/table/formats/table_document.h"

namespace nightshift::tools {

// What generated code of tables has in common.

// Names that a program can have: what is no letter, digit or underscore becomes an underscore, words
// of C++ and Python and names that `taken` has get one behind.
std::string identifier(std::string_view name, const std::vector<std::string>& taken);
std::vector<std::string> identifiers(const std::vector<std::string>& names);

std::string quoted_literal(std::string_view text);  // of C++ and Python alike

// Lines of provenance, without the marks of a comment: what, by which version, measured where, the
// claim. No line has an end of a comment in it.
std::vector<std::string> provenance_of(const TableDocument& document);

// What the devices are called, "NVIDIA H200", each once.
std::vector<std::string> device_names(const TableDocument& document);

// What must hold of the sizes, which are called `names`, for a configuration besides: the divisors that
// measured shapes vouch for, and the conditions of its constraints. Empty where nothing must.
std::string vouched(const TableDocument& document, std::size_t choice,
                    const std::vector<std::string>& names, CodeLanguage language);
// A sentence for each configuration of which a constraint cannot be asked, so that sizes that were not
// measured get the default in its place.
std::vector<std::string> unaskable(const TableDocument& document);

std::string condition_number(double threshold);  // "64", "0.5": as both languages read it

}  // namespace nightshift::tools
