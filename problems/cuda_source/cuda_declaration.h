#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "problems/cuda_source/cuda_function.h"
#include "problems/cuda_source/source_tokens.h"

namespace nightshift::problems {

// A declaration at file or namespace scope, as positions among the tokens of a source.
struct CudaDeclaration {
  std::size_t begin = 0;
  std::size_t head = 0;   // behind `template <...>`
  std::size_t end = 0;    // behind its last token, a ';' or the '}' of a function
  bool closed = false;    // false: the source ends before it does
  bool function = false;  // with a body
  bool type = false;      // struct, class, union or enum, with its braces
  bool assigned = false;  // has a '=' outside of parentheses
  bool extern_c = false;
  // Tokens outside of parentheses, brackets and braces, from `head` on; of a group its opening one.
  std::vector<std::size_t> flat;
  std::vector<CudaParameter> template_parameters;
};

bool is_opening(std::string_view token);  // ( [ {
// Behind the parenthesis, bracket or brace that closes the one at `i`; the number of tokens where
// none does.
std::size_t end_of_group(const SourceTokens& read, std::size_t i);

CudaDeclaration declaration_at(const SourceTokens& read, std::size_t begin);

// Of a __global__ function, without namespaces; nullopt: it is none, or a specialisation.
std::optional<CudaKernel> kernel_of(const SourceTokens& read, const CudaDeclaration& declaration);
// Of another one that has a body and no mark of device code.
std::optional<CudaKernel> function_of(const SourceTokens& read, const CudaDeclaration& declaration);
// The new name and the words that it stands for.
std::optional<std::pair<std::string, std::string>> alias_of(const SourceTokens& read,
                                                            const CudaDeclaration& declaration);
// What of it device code cannot use, as positions of tokens: all of it or, of members and of types,
// what stands in braces. `device_macros` stand for marks of device code.
std::optional<CudaHostPart> host_part(const SourceTokens& read, const CudaDeclaration& declaration,
                                      const std::set<std::string, std::less<>>& device_macros,
                                      bool is_member);
// The tokens between the braces of a type; nullopt where it is none.
std::optional<std::pair<std::size_t, std::size_t>> members_of(const SourceTokens& read,
                                                              const CudaDeclaration& declaration);

}  // namespace nightshift::problems
