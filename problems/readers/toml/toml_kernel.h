#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "problems/readers/expression_text.h"
#include "problems/readers/table_reader.h"
#include "search/argument.h"
#include "search/source_names.h"

// What [host] and [cuda] say alike.
namespace nightshift::problems {

class KernelSignatures;

// The key `names`, of [cuda] or of [host].
void read_source_names(TableReader& table, search::SourceNames& names, bool cuda);

// The text of `compiler`, in which {NAME} stands for a parameter.
void read_compiler(TableReader& table, const KnownNames& names, std::string& compiler);

// An expression as text, or a number as it stands. The key must be there.
std::optional<search::Expression> read_amount(TableReader& table, std::string_view key,
                                              const KnownNames& names);
std::optional<search::Expression> read_amount(const toml::node& node, std::string_view what,
                                              const KnownNames& names, Diagnostics& diagnostics);
// A list of them, or one alone.
std::optional<std::vector<search::Expression>> read_amounts(TableReader& table,
                                                            std::string_view key,
                                                            const KnownNames& names);

// What an argument may be: those of CUDA kernels have more types, accesses and fills, and the type
// "dtype".
struct ArgumentForm {
  std::filesystem::path folder;  // of the problem
  bool cuda = false;
  bool has_dtype = false;  // also where it is wrong, which was noted
  std::optional<search::ElementType> dtype;
  const KernelSignatures* signatures = nullptr;  // of kernels whose source tells types
};
// The keys that all arguments have; the caller finishes the table.
search::Argument read_argument(TableReader& table, const KnownNames& names,
                               const ArgumentForm& form);

}  // namespace nightshift::problems
