#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "search/argument.h"

namespace nightshift::evaluator {

// The one symbol that an artifact exports: void nightshift_entry(void** arguments). Each entry
// points to the first element of a vector, or to a scalar of the type that the problem file names.
constexpr const char* kEntrySymbol = "nightshift_entry";

// What calls `function` through kEntrySymbol, to stand behind the kernel's source.
//
// Vectors are handed on by pointer, after a check that the element types agree, and where the function
// takes arrays of arrays as their memory; scalars are
// converted to whatever arithmetic type the function takes. What does not fit is a static_assert
// that names the argument. `as_reference`: floating vectors are double. Of overloads, and of a template's
// instances, the one is called that alone has as many arguments, pointers where the problem file has
// vectors; or the one of exactly the listed types. A value of `shapes` (of each argument; none: nothing is
// asked) that the function's type does not hold is a static_assert too; floating types hold all but what
// is beyond them.
//
// Every name in it starts with nightshift_ and no header is included: parameters are macros and may
// be called T or N.
std::string wrapper_source(const std::string& function,
                           const std::vector<search::Argument>& arguments, bool as_reference,
                           const std::vector<ArgumentShape>& shapes = {});

// "const float*, long": the types of a function's arguments as the problem file lists them.
std::string listed_types(const std::vector<search::Argument>& arguments, bool as_reference,
                         bool are_inputs_const);

// The same in C, for a function with C linkage. kBySource: compiled with the source in front of it,
// so that the compiler checks the call by the source's own prototype, but not of what integers of one or
// eight bytes a vector is, whose types in C have several names (c_type_clash), nor of those that are
// `flat` (flat_arrays.h). kByWrapper: the wrapper
// declares it as the problem file lists its arguments.
enum class Declared : std::uint8_t { kBySource, kByWrapper };
std::string c_wrapper_source(const std::string& function,
                             const std::vector<search::Argument>& arguments, bool as_reference,
                             Declared declared, const std::vector<ArgumentShape>& shapes = {},
                             const std::vector<bool>& flat = {});
// Which vector of the problem file the function takes for another one, as far as its source tells that
// without a compiler; empty where it tells of none.
std::string c_type_clash(const std::string& source, const std::string& function,
                         const std::vector<search::Argument>& arguments, bool as_reference);

}  // namespace nightshift::evaluator
