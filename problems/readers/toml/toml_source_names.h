#pragma once

#include <string>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "problems/readers/table_reader.h"
#include "search/argument.h"
#include "search/cuda_problem.h"
#include "search/parameter.h"
#include "search/problem/host_backend.h"
#include "search/source_names.h"

namespace nightshift::problems {

// A name with its place, and what it is: "parameter", "size", "argument", "function", "kernel".
struct PlacedName {
  std::string name;
  std::string what;
  SourceLocation location;
};

// Parameters that sources are told, each with its place, and the sizes. `backend` is [host] or
// [cuda].
std::vector<PlacedName> told_names(const TableReader& root, const TableReader& backend,
                                   const std::string& compiler,
                                   const std::vector<search::FlagParameter>& flags);

// Notes names of `told` that mean something else in the sources: words of the language, what it
// defines by itself, and as macros the arguments and functions and what kernels call parameters, as
// constants the functions. Notes values of `parameters` of which a macro would be a part.
void check_source_names(const std::vector<PlacedName>& told, const std::vector<PlacedName>& others,
                        const std::vector<search::Parameter>& parameters, search::SourceNames names,
                        bool is_cuda, Diagnostics& diagnostics);

// With names = "definitions": notes parameters that neither the sources define nor a launch uses.
void check_definitions(const std::vector<PlacedName>& told, const search::CudaBackend& cuda,
                       Diagnostics& diagnostics);

// With names = "constants": notes names of `told` that a condition of the preprocessor in one of `files`
// asks for, where a constant is nothing.
void check_preprocessed(const std::vector<PlacedName>& told, const std::vector<std::string>& files,
                        Diagnostics& diagnostics);

// The functions of [host] and the kernels of [cuda], and their arguments, each with its place.
std::vector<PlacedName> names_of(const TableReader& table, const search::HostBackend& host,
                                 const std::vector<SourceLocation>& arguments);
struct PlacedLaunches {
  const std::vector<search::CudaLaunch>& launches;
  const std::vector<SourceLocation>& locations;
};
std::vector<PlacedName> names_of(const search::CudaBackend& cuda,
                                 const std::vector<SourceLocation>& arguments,
                                 const std::vector<PlacedLaunches>& launches);

}  // namespace nightshift::problems
