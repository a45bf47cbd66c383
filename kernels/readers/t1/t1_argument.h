#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/readers/expression_text.h"
#include "kernels/readers/json_reader.h"
#include "search/argument.h"

// What a KernelSpecification says alike for every language.
namespace nightshift::kernels {

// A number, or an expression as text; it must be there.
std::optional<search::Expression> read_t1_amount(const JsonReader& reader, std::string_view key,
                                                 const KnownNames& names);

struct T1Arguments {
  std::vector<search::Argument> arguments;
  std::vector<SourceLocation> locations;  // of each
};
// `cuda`: with the types that only CUDA kernels have.
T1Arguments read_t1_arguments(const JsonReader& kernel, const KnownNames& names, bool cuda);

// KernelFile as an absolute path; empty where it is wrong.
std::string read_t1_file(const JsonReader& kernel, const std::filesystem::path& folder);

// Notes ReferenceArguments, whose answers are files of a form of their own.
void refuse_t1_reference(const JsonReader& kernel);

}  // namespace nightshift::kernels
