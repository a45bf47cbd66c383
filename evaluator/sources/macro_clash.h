#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/source_names.h"

namespace nightshift::evaluator {

// Why a build with macros fails, which no compiler's message says, as a line, "error: M is a macro
// with the value '1024', but gemm.cc:12 declares 'int M': ..."; else empty. A source or what it
// includes declares something that is called as a macro. Else a header that `complaint`, the words
// of the compiler, names declares or uses such a name, or these words are of a macro's value.
//
// `options` are those of a compiler that is started in `directory`. `table` is that of the problem
// file.
std::string macro_clash(const search::ToldNames& told, const std::string& file,
                        const std::vector<std::string>& options, const std::string& directory,
                        std::string_view table, std::string_view complaint);

}  // namespace nightshift::evaluator
