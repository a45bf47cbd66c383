#pragma once

#include <string>
#include <vector>

#include "search/argument.h"
#include "search/problem/host_backend.h"
#include "search/source_names.h"

namespace nightshift::evaluator {

// Why `complaint`, a compiler's words about the unit of wrapper_source(), may have been said: no
// overload of the function was to be told from the others, or it is a template whose arguments are
// not named; then as a line that names them, by `told` and the types of the vectors. Empty where that
// is not it.
std::string overload_clash(const search::HostSource& source, const search::ToldNames& told,
                           const std::vector<search::Argument>& arguments, bool as_reference,
                           const std::string& complaint);

}  // namespace nightshift::evaluator
