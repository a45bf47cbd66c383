#include "problems/cuda_source/cuda_source.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "problems/cuda_source/cuda_declaration.h"
#include "problems/cuda_source/source_tokens.h"

namespace nightshift::problems {
namespace {

constexpr int kMostNested = 64;  // namespaces

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  const SourceTokens read = tokens_of(text);
  for (const SourceToken& token : read.tokens) words.push_back(token.text);
  return words;
}

// Of a macro whose name is the first word: whether it marks what is for the device, and is more
// than an instance of it.
bool is_of_device(const std::vector<std::string_view>& words) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  const auto instance = std::ranges::adjacent_find(
      words, [](auto one, auto next) { return one == "template" && next != "<"; });
  return (has("__device__") || has("__global__")) && instance == words.end();
}

class Scanner {
 public:
  Scanner(std::string_view text, std::set<std::string, std::less<>> device_macros)
      : text_(text), read_(tokens_of(text)) {
    scan_.device_macros = std::move(device_macros);
    read_directives();
    read_definitions();
    read_shared_memory();
    read_scope("", false, 0);
    if (scan_.unread.empty() && at_ < size()) complain("a closing brace has no opening one");
  }
  CudaSourceScan take() { return std::move(scan_); }

 private:
  std::size_t size() const { return read_.tokens.size(); }
  std::string_view token(std::size_t i) const {
    return i < size() ? read_.tokens[i].text : std::string_view();
  }

  // `extern __shared__ __align__(16) float tile[];` in any order of its words.
  void read_shared_memory() {
    for (std::size_t i = 0; i < size() && scan_.dynamic_shared_line == 0; ++i) {
      if (token(i) != "extern") continue;
      constexpr std::size_t kLongest = 32;  // tokens
      bool shared = i > 0 && token(i - 1) == "__shared__";
      for (std::size_t k = i + 1; k < i + kLongest && token(k) != ";" && token(k) != "{"; ++k) {
        shared = shared || token(k) == "__shared__";
        if (shared && token(k) == "[" && token(k + 1) == "]") {
          scan_.dynamic_shared_line = read_.tokens[i].line;
        }
      }
    }
  }

  void complain(const std::string& what) {
    const int line = size() == 0 ? 1 : read_.tokens[std::min(at_, size() - 1)].line;
    scan_.unread = "line " + std::to_string(line) + ": " + what;
    at_ = size();
  }

  // #define NAME VALUE, and macros that stand for marks of device code.
  void read_directives() {
    constexpr std::string_view kDefine = "define";
    for (const SourceDirective& directive : read_.directives) {
      const std::size_t at = directive.text.find(kDefine);
      if (at == std::string::npos || directive.text.find_first_not_of("# \t") != at) continue;
      const std::string rest = directive.text.substr(at + kDefine.size());
      const std::vector<std::string_view> words = words_of(rest);
      if (words.empty()) continue;
      if (is_of_device(words)) scan_.device_macros.emplace(words.front());
      const std::size_t name_end =
          static_cast<std::size_t>(words.front().data() - rest.data()) + words.front().size();
      const bool is_function = name_end < rest.size() && rest[name_end] == '(';
      if (words.size() < 2 || is_function) continue;
      add_macro(directive, words, rest);
    }
  }

  void add_macro(const SourceDirective& directive, const std::vector<std::string_view>& words,
                 const std::string& rest) {
    const std::string name(words.front());
    const std::string value = rest.substr(static_cast<std::size_t>(words[1].data() - rest.data()));
    scan_.aliases.emplace_back(name, value);
    // The text of a directive has no comments; its place in the source is that of its words.
    const std::string_view line = text_.substr(directive.begin, directive.end - directive.begin);
    const std::size_t last =
        static_cast<std::size_t>(words.back().data() - words[1].data()) + words.back().size();
    const std::size_t begin = line.find(value.substr(0, last), line.find(name) + name.size());
    if (begin == std::string_view::npos) return;
    scan_.definitions.push_back({name, directive.line, directive.begin + begin,
                                 directive.begin + begin + last, value.substr(0, last)});
  }

  // `const TYPE NAME = VALUE`, wherever it stands.
  void read_definitions() {
    for (std::size_t i = 0; i < size(); ++i) {
      if (token(i) != "const" && token(i) != "constexpr") continue;
      std::size_t equals = i + 1;
      while (is_word(token(equals)) || token(equals) == ":") ++equals;
      for (; token(equals) == "=" && equals > i + 1 && is_word(token(equals - 1));) {
        const std::size_t end = end_of_value(equals + 1);
        if (end == equals + 1 || (token(end) != ";" && token(end) != ",")) break;
        const SourceToken& last = read_.tokens[end - 1];
        const std::size_t begin = read_.tokens[equals + 1].begin;
        const std::size_t bytes = last.begin + last.text.size() - begin;
        scan_.definitions.push_back({std::string(token(equals - 1)), read_.tokens[equals - 1].line,
                                     begin, begin + bytes,
                                     std::string(text_.substr(begin, bytes))});
        if (token(end) != ",") break;
        equals = end + 2;
      }
    }
  }

  std::size_t end_of_value(std::size_t i) const {
    while (i < size() && token(i) != ";" && token(i) != "," && token(i) != ")" && token(i) != "}") {
      i = is_opening(token(i)) ? end_of_group(read_, i) : i + 1;
    }
    return std::min(i, size());
  }

  void read_scope(const std::string& prefix, bool extern_c, int depth) {
    if (depth > kMostNested) return complain("namespaces are nested too deeply");
    while (at_ < size() && token(at_) != "}") {
      if (token(at_) == ";") {
        ++at_;
      } else if (!read_inner_scope(prefix, extern_c, depth)) {
        read_declaration(prefix, extern_c);
      }
    }
  }

  // `namespace a::b {` or `extern "C" {`
  bool read_inner_scope(std::string prefix, bool extern_c, int depth) {
    std::size_t i = at_;
    if (token(i) == "inline" && token(i + 1) == "namespace") ++i;
    if (token(i) == "extern" && token(i + 1).starts_with('"') && token(i + 2) == "{") {
      i += 2;
      extern_c = token(i - 1) == "\"C\"";
    } else if (token(i) == "namespace") {
      while (is_word(token(++i)) || token(i) == ":") {
        if (is_word(token(i))) prefix += std::string(token(i)) + "::";
      }
      if (token(i) != "{") return false;
    } else {
      return false;
    }
    at_ = i + 1;
    read_scope(prefix, extern_c, depth + 1);
    if (!scan_.unread.empty()) return true;
    if (at_ >= size()) {
      complain("a brace is not closed");
    } else {
      ++at_;
    }
    return true;
  }

  void read_declaration(const std::string& prefix, bool extern_c) {
    const CudaDeclaration declaration = declaration_at(read_, at_);
    if (declaration.end == at_ || !declaration.closed) {
      return complain("what begins here has no end");
    }
    const auto named = [&](CudaKernel function) {
      function.extern_c = extern_c || declaration.extern_c;
      if (!function.extern_c) function.name = prefix + function.name;
      return function;
    };
    if (auto kernel = kernel_of(read_, declaration)) {
      add(named(std::move(*kernel)));
    } else if (auto function = function_of(read_, declaration);
               function && function->name != "main") {
      scan_.functions.push_back(named(std::move(*function)));
    }
    if (auto alias = alias_of(read_, declaration)) scan_.aliases.push_back(std::move(*alias));
    read_host_parts(declaration, 0);
    at_ = declaration.end;
  }

  void read_host_parts(const CudaDeclaration& declaration, int depth) {
    if (const auto part = host_part(read_, declaration, scan_.device_macros, depth > 0)) {
      blank(part->begin, part->end, part->ends_declaration);
    } else if (const auto members = members_of(read_, declaration)) {
      if (depth < kMostNested) read_members(members->first, members->second, depth + 1);
    }
  }

  // Between the braces of a type.
  void read_members(std::size_t at, std::size_t end, int depth) {
    while (at < end) {
      const bool access = is_word(token(at)) && token(at + 1) == ":" && token(at + 2) != ":";
      if (access || token(at) == ";") {
        at += access ? 2 : 1;
        continue;
      }
      const CudaDeclaration member = declaration_at(read_, at);
      if (member.end <= at || !member.closed) return;
      read_host_parts(member, depth);
      at = member.end;
    }
  }

  // Tokens [first, end), all of it but for directives.
  void blank(std::size_t first, std::size_t last, bool ends_declaration) {
    std::size_t begin = read_.tokens[first].begin;
    const std::size_t end = read_.tokens[last - 1].begin + token(last - 1).size();
    const auto add = [&](std::size_t from, std::size_t to) {
      if (from < to) scan_.host_parts.push_back({from, to, ends_declaration});
      if (from < to) ends_declaration = false;
    };
    for (const SourceDirective& directive : read_.directives) {
      if (directive.end <= begin || directive.begin >= end) continue;
      add(begin, directive.begin);
      begin = std::min(directive.end, end);
    }
    add(begin, end);
  }

  // A definition takes the place of its declaration.
  void add(CudaKernel kernel) {
    const auto known = std::ranges::find_if(scan_.kernels, [&](const CudaKernel& other) {
      return other.name == kernel.name && other.parameters.size() == kernel.parameters.size() &&
             std::ranges::equal(other.parameters, kernel.parameters, {}, &CudaParameter::type,
                                &CudaParameter::type);
    });
    if (known == scan_.kernels.end()) {
      scan_.kernels.push_back(std::move(kernel));
    } else {
      *known = std::move(kernel);
    }
  }

  std::string_view text_;
  SourceTokens read_;
  std::size_t at_ = 0;
  CudaSourceScan scan_;
};

}  // namespace

CudaSourceScan scan_cuda_source(std::string_view text,
                                std::set<std::string, std::less<>> device_macros) {
  return Scanner(text, std::move(device_macros)).take();
}

std::vector<const CudaKernel*> kernels_called(const CudaSourceScan& scan, std::string_view name) {
  name = name.substr(0, name.find('<'));
  if (name.starts_with("::")) name.remove_prefix(2);
  std::vector<const CudaKernel*> found;
  for (const CudaKernel& kernel : scan.kernels) {
    if (kernel.name == name) found.push_back(&kernel);
  }
  return found;
}

}  // namespace nightshift::problems
