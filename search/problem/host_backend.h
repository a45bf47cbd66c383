#pragma once

#include <string>
#include <vector>

#include "search/argument.h"
#include "search/source_names.h"

namespace nightshift::search {

struct HostSource {
  std::string file;      // absolute path; empty = not given
  std::string function;  // name of a free function; C++ linkage and template arguments are fine
  std::vector<std::string> flags;
  friend bool operator==(const HostSource&, const HostSource&) = default;
};

// C++, C, Fortran or assembler (source_language.h), compiled by the system compiler and run on
// pinned cores.
// The reference is called with the same inputs, rounded as the kernel sees them, converted to
// double: every floating vector of its signature is double.
struct HostBackend {
  std::string compiler = "c++";  // program; see compilers()
  HostSource kernel;
  HostSource baseline;                  // file empty: the kernel itself with Problem::baseline
  HostSource reference;                 // file empty: compared with what the baseline computes
  std::vector<CaseSizes> cases = {{}};  // at least one, each with inputs of its own
  std::vector<FlagParameter> flag_parameters;
  std::vector<Argument> arguments;
  GivenTolerance tolerance = {};  // of outputs whose argument has none of its own
  SourceNames names = SourceNames::kMacros;
  // Where the compiler is started, which relative paths of its options go by: the folder of the
  // problem's file. Empty: it has none, and a folder of ours serves.
  std::string directory = {};
};

}  // namespace nightshift::search
