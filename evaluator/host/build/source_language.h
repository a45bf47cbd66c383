#pragma once

#include <string>

#include "search/configuration.h"
#include "search/problem/host_backend.h"
#include "search/source_language.h"

namespace nightshift::evaluator {

// As what a source is compiled. A .c file that says extern "C" and does not ask for __cplusplus is
// C++: so are those that other tuners give to a C++ compiler.
search::SourceLanguage language_of_file(const std::string& file);

// The file whose text is compiled as `source`: where that includes several, each for a candidate
// (problems/judged_source.h), the one of the configuration.
std::string compiled_file(const search::HostBackend& host, const search::HostSource& source,
                          const search::Configuration& configuration);

// The program that compiles `source`: the problem's, and for Fortran gfortran where the problem
// names none that is for Fortran.
std::string compiler_program(const search::HostBackend& host, const search::HostSource& source,
                             const search::Configuration& configuration);

// What names the folder of a Fortran compiler's modules, which stand where it is started otherwise.
std::string module_option(const std::string& program);

// Why `source` cannot be built as what it is, before any compiler is asked; empty: nothing is
// known.
std::string language_complaint(const search::HostSource& source, const std::string& program);

}  // namespace nightshift::evaluator
