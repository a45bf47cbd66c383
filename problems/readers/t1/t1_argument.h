#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/readers/json_reader.h"
#include "problems/readers/t1/t1_names.h"
#include "search/argument.h"

// What a KernelSpecification says alike for every language.
namespace nightshift::problems {

struct T1Arguments {
  std::vector<search::Argument> arguments;
  std::vector<SourceLocation> locations;  // of each
};
// `cuda`: with the types that only CUDA kernels have.
T1Arguments read_t1_arguments(const JsonReader& kernel, const T1Names& names, bool cuda);

// KernelFile as an absolute path, looked for in `folder` and in the folder above it, as Kernel
// Tuner does; empty where it is wrong.
std::string read_t1_file(const JsonReader& kernel, const std::filesystem::path& folder);

// Notes ReferenceArguments, whose answers are files of a form of their own.
void refuse_t1_reference(const JsonReader& kernel);

}  // namespace nightshift::problems
