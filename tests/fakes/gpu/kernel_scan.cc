#include "tests/fakes/gpu/kernel_scan.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tests/fakes/gpu/tokens.h"

namespace fake_gpu {
namespace {

// Does the declaration that `at` is in say extern "C" itself?
bool says_extern_c(const std::vector<Token>& tokens, std::size_t at) {
  for (; at > 0; --at) {
    const std::string_view before = tokens[at - 1].text;
    if (before == ";" || before == "{" || before == "}") return false;
    if (before == "\"C\"") return true;
  }
  return false;
}

// What a brace opens: a namespace (with its name), extern "C", or anything else.
struct Scope {
  std::string prefix;
  bool is_c = false;
};
Scope scope_of(const std::vector<Token>& tokens, std::size_t brace) {
  if (brace < 2) return {};
  const std::string_view before = tokens[brace - 1].text;
  if (tokens[brace - 2].text == "namespace") return {std::string(before) + "::", false};
  return {"", tokens[brace - 2].text == "extern" && before == "\"C\""};
}

// The name of the function that is declared after __global__ at `at`; empty where there is none.
std::string declared_after(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at + 1; i + 1 < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "(") ++depth;
    if (text == ")") --depth;
    if (text == ";" || text == "{") return "";
    const bool attribute = text == "__attribute__" || text == "alignas";
    if (depth == 0 && is_name(text[0]) && !attribute && tokens[i + 1].text == "(") {
      return std::string(text);
    }
  }
  return "";
}

}  // namespace

std::vector<Kernel> take_kernels(std::string& text) {
  constexpr std::string_view kMark = "__global__";
  std::vector<Kernel> kernels;
  std::vector<Scope> scopes;
  std::vector<std::size_t> marks;
  const std::vector<Token> tokens = tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "{") scopes.push_back(scope_of(tokens, i));
    if (tokens[i].text == "}" && !scopes.empty()) scopes.pop_back();
    if (tokens[i].text != kMark) continue;
    marks.push_back(tokens[i].at);
    Kernel kernel{declared_after(tokens, i), ""};
    bool is_c = says_extern_c(tokens, i);
    for (const Scope& scope : scopes) {
      kernel.expression += scope.prefix;
      is_c = is_c || scope.is_c;
    }
    kernel.expression += kernel.symbol;
    const bool known = std::any_of(kernels.begin(), kernels.end(),
                                   [&](const Kernel& k) { return k.symbol == kernel.symbol; });
    if (is_c && !kernel.symbol.empty() && !known) kernels.push_back(kernel);
  }
  for (const std::size_t at : marks) text.replace(at, kMark.size(), kMark.size(), ' ');
  return kernels;
}

}  // namespace fake_gpu
