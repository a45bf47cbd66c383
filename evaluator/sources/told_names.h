#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/source_names.h"

namespace nightshift::evaluator {

// -DNAME=VALUE for each.
void append_macros(const search::ToldNames& told, std::vector<std::string>& options);

// The declarations in `source` of any of `told`: which of them, the line and the words.
struct Declaration {
  std::size_t which = 0;
  int line = 0;
  std::string words;
};
std::vector<Declaration> declarations_of(const search::ToldNames& told, std::string_view source);
// The same of Fortran: what stands behind "::".
std::vector<Declaration> fortran_declarations_of(const search::ToldNames& told,
                                                 std::string_view source);

}  // namespace nightshift::evaluator
