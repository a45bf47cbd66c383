#include "problems/cuda_source/cuda_declaration.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nightshift::problems {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_closing(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

// What says nothing about a parameter's type.
constexpr std::array<std::string_view, 6> kOfParameters = {
    "__restrict__", "__restrict", "restrict", "__grid_constant__", "register", "__maybe_unused__"};
constexpr std::array<std::string_view, 10> kKept = {
    "using", "typedef", "struct",        "class",   "union",
    "enum",  "friend",  "static_assert", "concept", "namespace"};
constexpr std::array<std::string_view, 6> kOfDevice = {"__device__",   "__global__",  "__shared__",
                                                       "__constant__", "__managed__", "asm"};

// Types of the standard library, behind std::, and of the system that no device has.
constexpr auto kOfHosts = std::to_array<std::string_view>(
    {"string",        "vector",        "map",        "unordered_map", "set",     "unordered_set",
     "list",          "deque",         "queue",      "ostream",       "istream", "ostringstream",
     "stringstream",  "istringstream", "ifstream",   "ofstream",      "fstream", "exception",
     "runtime_error", "logic_error",   "shared_ptr", "unique_ptr",    "mutex",   "thread",
     "function",      "string_view",   "any",        "random_device", "mt19937"});
constexpr auto kOfSystems = std::to_array<std::string_view>({"timeval", "pthread_t", "virtual"});

class Tokens {
 public:
  explicit Tokens(const SourceTokens& read) : read_(read) {}
  std::size_t size() const { return read_.tokens.size(); }
  std::string_view operator[](std::size_t i) const {
    return i < size() ? read_.tokens[i].text : std::string_view();
  }
  int line(std::size_t i) const { return read_.tokens.at(i).line; }
  std::size_t behind_group(std::size_t i) const { return end_of_group(read_, i); }
  // Whether the group that opens at `i` has an end.
  bool is_closed(std::size_t i) const {
    std::ptrdiff_t depth = 0;
    for (; i < size(); ++i) {
      depth += is_opening((*this)[i]) ? 1 : is_closing((*this)[i]) ? -1 : 0;
      if (depth == 0) return true;
    }
    return false;
  }
  // Behind the '>' of the '<' at `i`.
  std::size_t behind_angles(std::size_t i) const {
    int depth = 0;
    while (i < size()) {
      if ((*this)[i] == "<") ++depth;
      if ((*this)[i] == ">" && (*this)[i - 1] != "-" && --depth == 0) return i + 1;
      if ((*this)[i] == ";") return size();
      i = is_opening((*this)[i]) ? behind_group(i) : i + 1;
    }
    return size();
  }

 private:
  const SourceTokens& read_;
};

std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const bool colons = tokens[i] == ":" || text.ends_with(':');
    const bool joins = text.empty() || colons || tokens[i] == "<" || tokens[i] == ">" ||
                       tokens[i] == "," || text.ends_with('<');
    text += (joins ? "" : " ") + std::string(tokens[i]);
  }
  return text;
}

// The parts between commas of tokens [begin, end).
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const Tokens& tokens, std::size_t begin,
                                                          std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  std::size_t from = begin;
  int angles = 0;
  for (std::size_t i = begin; i < end;) {
    if (tokens[i] == "<") ++angles;
    if (tokens[i] == ">" && tokens[i - 1] != "-" && angles > 0) --angles;
    if (tokens[i] == "," && angles == 0) {
      parts.emplace_back(from, i);
      from = i + 1;
    }
    i = is_opening(tokens[i]) ? tokens.behind_group(i) : i + 1;
  }
  if (from < end) parts.emplace_back(from, end);
  return parts;
}

// Where the default value begins, or `end`.
std::size_t before_default(const Tokens& tokens, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i] == "=") return i;
  }
  return end;
}

// A pointer to an array, "float ( * A ) [ M ]", which has been read as a type without a name.
void flatten(CudaParameter& parameter) {
  constexpr std::string_view kPointer = " ( * ", kArray = " ) [ ";
  const std::size_t open = parameter.type.find(kPointer);
  const std::size_t close = parameter.type.find(kArray);
  if (open == std::string::npos || close == std::string::npos || close < open) return;
  const std::string within = parameter.type.substr(open, close - open);
  parameter.name = within.substr(within.rfind(' ') + 1);
  parameter.extents += 1 + static_cast<int>(std::ranges::count(parameter.type.substr(close), '['));
  parameter.type = parameter.type.substr(0, open) + " *";
}

CudaParameter parameter_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
  CudaParameter parameter;
  end = before_default(tokens, begin, end);
  std::string suffix;
  // An array is a pointer, but not one in parentheses.
  while (end > begin + 1 && tokens[end - 1] == "]") {
    std::size_t open = end - 1;
    while (open > begin && tokens[open] != "[") --open;
    if (open == begin || !(is_word(tokens[open - 1]) || tokens[open - 1] == "]")) break;
    end = open;
    suffix = "*";
    ++parameter.extents;
  }
  std::vector<std::string_view> words;
  for (std::size_t i = begin; i < end; ++i) words.push_back(tokens[i]);
  // A type of one word has no name behind it.
  const auto names = std::ranges::count_if(words, [](std::string_view word) {
    return is_word(word) && word != "const" && word != "volatile" && word != "unsigned" &&
           !is_one_of(word, kOfParameters);
  });
  const bool named = !words.empty() && is_word(words.back()) && names > 1 &&
                     !is_one_of(words.back(), kOfParameters);
  const bool sized = names == 1 && words.size() > 1 && words.front() == "unsigned" &&
                     is_word(words.back()) && words.back() != "int";
  if (named || sized) {
    parameter.name = words.back();
    --end;
  }
  std::string type;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_one_of(tokens[i], kOfParameters)) continue;
    const bool joins = type.empty() || tokens[i] == ":" || type.ends_with(':') ||
                       tokens[i] == "<" || tokens[i] == ">" || type.ends_with('<') ||
                       tokens[i] == "," || (tokens[i] == "*" && type.ends_with('*'));
    type += (joins ? "" : " ") + std::string(tokens[i]);
  }
  parameter.type = type + (suffix.empty() ? "" : " " + suffix);
  flatten(parameter);
  return parameter;
}

std::vector<CudaParameter> parameters_of(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::vector<CudaParameter> parameters;
  for (const auto& [from, to] : parts_of(tokens, begin, end)) {
    parameters.push_back(parameter_of(tokens, from, to));
  }
  const bool none = parameters.size() == 1 && parameters.front().type == "void" &&
                    parameters.front().name.empty();
  if (none) parameters.clear();
  return parameters;
}

// Walks over the head of a declaration and what follows it.
class Walk {
 public:
  Walk(const SourceTokens& read, std::size_t begin) : tokens_(read) { result_.begin = begin; }

  CudaDeclaration run() {
    std::size_t i = result_.begin;
    while (tokens_[i] == "template" && tokens_[i + 1] == "<") {
      const std::size_t behind = tokens_.behind_angles(i + 1);
      result_.template_parameters = parameters_of(tokens_, i + 2, behind == 0 ? 0 : behind - 1);
      i = behind;
    }
    result_.head = i;
    if (is_macro(i)) {
      result_.flat = {i, i + 1};
      result_.closed = true;
      result_.end = tokens_.behind_group(i + 1);
      return std::move(result_);
    }
    while (i < tokens_.size() && !result_.closed && tokens_[i] != "}") i = step(i);
    result_.end = std::min(i, tokens_.size());
    // A macro that stands for a declaration has no ';' of its own.
    result_.closed = result_.closed || !is_open_;
    return std::move(result_);
  }

 private:
  // `MAKE(a, b)` before a declaration of its own.
  bool is_macro(std::size_t i) const {
    constexpr std::array<std::string_view, 4> kOthers = {"alignas", "asm", "static_assert",
                                                         "decltype"};
    const std::string_view name = tokens_[i];
    if (i != result_.begin || !is_word(name) || tokens_[i + 1] != "(") return false;
    if (name.starts_with("__") || is_one_of(name, kOthers)) return false;
    return is_word(tokens_[tokens_.behind_group(i + 1)]);
  }

  std::size_t step(std::size_t i) {
    result_.flat.push_back(i);
    const std::string_view token = tokens_[i];
    if (token == ";") {
      result_.closed = true;
      return i + 1;
    }
    if (token == "=" && tokens_[i - 1] != "operator") result_.assigned = true;
    if (token == "struct" || token == "class" || token == "union" || token == "enum") {
      is_type_ = true;
    }
    if (token == "extern" && tokens_[i + 1] == "\"C\"") result_.extern_c = true;
    if (token == "(") has_parameters_ = true;
    if (!is_opening(token)) return i + 1;
    const std::size_t behind = tokens_.behind_group(i);
    is_open_ = behind == tokens_.size() && !tokens_.is_closed(i);
    if (token == "{" && is_type_ && !result_.assigned && tokens_[i - 1] != ")") {
      result_.type = true;
    }
    if (token == "{" && is_body(i, behind)) {
      result_.function = true;
      result_.closed = !is_open_;
    }
    return behind;
  }

  // Whether the brace at `i` opens the body of a function, not of a type, nor a value.
  bool is_body(std::size_t i, std::size_t behind) const {
    if (!has_parameters_ || result_.assigned) return false;
    if (is_type_ && tokens_[i - 1] != ")") return false;
    // A member's value in the head of a constructor.
    return tokens_[behind] != "," && tokens_[behind] != "{";
  }

  Tokens tokens_;
  CudaDeclaration result_;
  bool has_parameters_ = false;
  bool is_type_ = false;
  bool is_open_ = false;  // a group has no end
};

bool has(const Tokens& tokens, const CudaDeclaration& declaration, std::string_view word) {
  return std::ranges::any_of(declaration.flat, [&](std::size_t i) { return tokens[i] == word; });
}

// Whether its types, or what stands in its braces, are such that a device cannot have.
bool names_host_types(const Tokens& tokens, const CudaDeclaration& declaration) {
  for (std::size_t i = declaration.begin; i < declaration.end; ++i) {
    const bool standard = i > 2 && tokens[i - 1] == ":" && tokens[i - 3] == "std";
    if (standard ? is_one_of(tokens[i], kOfHosts) : is_one_of(tokens[i], kOfSystems)) return true;
  }
  return false;
}

// CUTE_HOST_DEVICE, C10_DEVICE and their like are defined in what is included.
bool is_marked(const Tokens& tokens, const CudaDeclaration& declaration,
               const std::set<std::string, std::less<>>& device_macros) {
  return std::ranges::any_of(declaration.flat, [&](std::size_t i) {
    const std::string_view word = tokens[i];
    return is_one_of(word, kOfDevice) || word.starts_with("constexpr") || word == "consteval" ||
           word.find("DEVICE") != std::string_view::npos || device_macros.contains(word);
  });
}

// The brace that opens the body of a type or a function.
std::size_t body_of(const Tokens& tokens, const CudaDeclaration& declaration) {
  const auto brace = [&](std::size_t i) { return tokens[i] == "{"; };
  const auto& flat = declaration.flat;
  const auto found = declaration.function
                         ? std::find_if(flat.rbegin(), flat.rend(), brace).base() - 1
                         : std::find_if(flat.begin(), flat.end(), brace);
  return *found;
}

// That brace, or the ':' before it of bases or of the values of members. The colon of a constructor
// stands behind its parameters.
std::size_t before_body(const Tokens& tokens, const CudaDeclaration& declaration, bool function) {
  bool counts = !function;
  for (const std::size_t i : declaration.flat) {
    if (tokens[i] == "{" && !function) return i;
    if (tokens[i] == "(") counts = true;
    const bool colons = tokens[i + 1] == ":" || (i > 0 && tokens[i - 1] == ":");
    if (counts && tokens[i] == ":" && !colons) return i;
  }
  return body_of(tokens, declaration);
}

// The last parentheses behind a name that is no attribute's are the parameters.
std::optional<CudaKernel> signature_at(const Tokens& tokens, const CudaDeclaration& declaration) {
  const std::vector<std::size_t>& flat = declaration.flat;
  for (std::size_t i = flat.size(); i-- > 1;) {
    const std::string_view name = tokens[flat[i - 1]];
    if (tokens[flat[i]] != "(" || flat[i - 1] + 1 != flat[i]) continue;
    if (name == ">") return std::nullopt;
    if (!is_word(name) || name.starts_with("__")) continue;
    CudaKernel kernel;
    kernel.name = name;
    kernel.line = tokens.line(flat[i - 1]);
    kernel.returns = joined(tokens, declaration.head, flat[i - 1]);
    kernel.template_parameters = declaration.template_parameters;
    kernel.parameters = parameters_of(tokens, flat[i] + 1, tokens.behind_group(flat[i]) - 1);
    return kernel;
  }
  return std::nullopt;
}

}  // namespace

bool is_opening(std::string_view token) { return token == "(" || token == "[" || token == "{"; }

std::size_t end_of_group(const SourceTokens& read, std::size_t i) {
  const Tokens tokens(read);
  std::size_t depth = 0;
  for (; i < tokens.size(); ++i) {
    if (is_opening(tokens[i])) ++depth;
    if (is_closing(tokens[i])) --depth;
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

CudaDeclaration declaration_at(const SourceTokens& read, std::size_t begin) {
  return Walk(read, begin).run();
}

std::optional<CudaKernel> kernel_of(const SourceTokens& read, const CudaDeclaration& declaration) {
  const Tokens tokens(read);
  if (!has(tokens, declaration, "__global__") || declaration.assigned) return std::nullopt;
  return signature_at(tokens, declaration);
}

std::optional<CudaKernel> function_of(const SourceTokens& read,
                                      const CudaDeclaration& declaration) {
  const Tokens tokens(read);
  if (!declaration.function || is_marked(tokens, declaration, {})) return std::nullopt;
  return signature_at(tokens, declaration);
}

std::optional<std::pair<std::string, std::string>> alias_of(const SourceTokens& read,
                                                            const CudaDeclaration& declaration) {
  const Tokens tokens(read);
  const std::size_t head = declaration.head, end = declaration.end;
  if (declaration.head != declaration.begin || end < head + 4) return std::nullopt;
  if (tokens[head] == "typedef" && is_word(tokens[end - 2])) {
    return std::pair(std::string(tokens[end - 2]), joined(tokens, head + 1, end - 2));
  }
  if (tokens[head] == "using" && is_word(tokens[head + 1]) && tokens[head + 2] == "=") {
    return std::pair(std::string(tokens[head + 1]), joined(tokens, head + 3, end - 1));
  }
  return std::nullopt;
}

std::optional<CudaHostPart> host_part(const SourceTokens& read, const CudaDeclaration& declaration,
                                      const std::set<std::string, std::less<>>& device_macros,
                                      bool is_member) {
  const Tokens tokens(read);
  const CudaHostPart all{declaration.begin, declaration.end, false};
  // Whoever asks for an instance gets it; those that the source asks for cost time.
  const bool instance =
      tokens[declaration.begin] == "template" && tokens[declaration.begin + 1] != "<";
  if (instance && !is_member) return all;
  if (is_marked(tokens, declaration, device_macros)) return std::nullopt;
  if (is_member) {
    if (!declaration.function) return std::nullopt;
    return CudaHostPart{before_body(tokens, declaration, true), declaration.end, true};
  }
  const bool named = names_host_types(tokens, declaration);
  if (declaration.type && named) {
    // Pointers to it may be left.
    const std::size_t brace = body_of(tokens, declaration);
    return CudaHostPart{before_body(tokens, declaration, false), tokens.behind_group(brace), false};
  }
  if (declaration.function || named) return all;
  if (is_one_of(tokens[declaration.head], kKept)) return std::nullopt;
  if (has(tokens, declaration, "const") && declaration.assigned) return std::nullopt;
  return all;
}

std::optional<std::pair<std::size_t, std::size_t>> members_of(const SourceTokens& read,
                                                              const CudaDeclaration& declaration) {
  if (!declaration.type || declaration.function) return std::nullopt;
  const Tokens tokens(read);
  const std::size_t brace = body_of(tokens, declaration);
  return std::pair(brace + 1, tokens.behind_group(brace) - 1);
}

}  // namespace nightshift::problems
