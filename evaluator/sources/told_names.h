#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/source_names.h"

namespace nightshift::evaluator {

// -DNAME=VALUE for each.
void append_macros(const search::ToldNames& told, std::vector<std::string>& options);

// Where a source declares something whose name is told to it as a macro, which no compiler's
// message says: "M is a macro with the value 1024 ... gemm.cc:12 ...", a line; else empty. `table`
// is that of the problem file. `options` are those of a compiler that is started in `directory`: what the source
// includes counts; of headers elsewhere `complaint`, the compiler's words from its first error on, tells.
std::string macro_clash(const search::ToldNames& told, const std::string& file,
                        const std::vector<std::string>& options, const std::string& directory,
                        std::string_view table, std::string_view complaint = {});

// The declarations in `source` of any of `told`: which of them, the line and the words.
struct Declaration {
  std::size_t which = 0;
  int line = 0;
  std::string words;
};
std::vector<Declaration> declarations_of(const search::ToldNames& told, std::string_view source);

}  // namespace nightshift::evaluator
