#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/cuda/launch/cubin_file.h"
#include "evaluator/cuda/launch/launch_plan.h"

namespace nightshift::evaluator::cuda {

// Whether only a compiler can tell its symbol: an instance of a template, or a name with colons.
bool is_expression(std::string_view function);

// The symbol of a function that is no expression: that of an extern "C" kernel, else of the only
// kernel of that name. nullopt: there is none, or several.
std::optional<std::string> symbol_of(const std::vector<CubinKernel>& kernels,
                                     std::string_view function);

// nvcc tells no symbols. Behind the source these lines make each function an argument of a template
// whose instance has it in its name.
std::string marks_of(const std::vector<std::string>& functions);
// Which of them is meant by the compiler's words; nullopt: they are of something else.
std::optional<std::size_t> wrong_mark(std::string_view words, std::size_t functions);
std::optional<std::string> marked_symbol(const std::vector<CubinKernel>& kernels,
                                         std::size_t which);

// That `source`, called `file` in messages, has no kernel that `function` is the name of: those
// that it has and why it is none of them.
std::string no_such_kernel(const std::string& function, const std::string& source,
                           const std::string& file);

// Throws WrongKernel where a kernel of the machine code takes other parameters than one of
// `launches` gives it: so many, or so many bytes. `bytes` are those of each argument.
struct NamedSymbols {
  const std::vector<std::string>& functions;
  const std::vector<std::string>& symbols;
};
void check_parameters(const std::vector<CubinKernel>& kernels, const NamedSymbols& names,
                      const std::vector<PlannedLaunch>& launches,
                      const std::vector<std::uint32_t>& bytes);

}  // namespace nightshift::evaluator::cuda
