#include "problems/cuda_source/cuda_types.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "problems/cuda_source/source_tokens.h"

namespace nightshift::problems {
namespace {

using search::ElementType;

constexpr auto kTypes = std::to_array<std::pair<std::string_view, ElementType>>({
    {"float", ElementType::kFloat32},
    {"double", ElementType::kFloat64},
    {"half", ElementType::kFloat16},
    {"__half", ElementType::kFloat16},
    {"half_t", ElementType::kFloat16},
    {"c10::Half", ElementType::kFloat16},
    {"at::Half", ElementType::kFloat16},
    {"__nv_bfloat16", ElementType::kBfloat16},
    {"nv_bfloat16", ElementType::kBfloat16},
    {"bfloat16", ElementType::kBfloat16},
    {"c10::BFloat16", ElementType::kBfloat16},
    {"at::BFloat16", ElementType::kBfloat16},
    {"__nv_fp8_e4m3", ElementType::kFloat8E4M3},
    {"__nv_fp8_e5m2", ElementType::kFloat8E5M2},
    {"char", ElementType::kInt8},
    {"signed char", ElementType::kInt8},
    {"int8_t", ElementType::kInt8},
    {"unsigned char", ElementType::kUint8},
    {"uint8_t", ElementType::kUint8},
    {"uchar", ElementType::kUint8},
    {"bool", ElementType::kUint8},
    {"_Bool", ElementType::kUint8},
    {"short", ElementType::kInt16},
    {"short int", ElementType::kInt16},
    {"int16_t", ElementType::kInt16},
    {"unsigned short", ElementType::kUint16},
    {"uint16_t", ElementType::kUint16},
    {"ushort", ElementType::kUint16},
    {"int", ElementType::kInt32},
    {"signed", ElementType::kInt32},
    {"int32_t", ElementType::kInt32},
    {"unsigned", ElementType::kUint32},
    {"unsigned int", ElementType::kUint32},
    {"uint32_t", ElementType::kUint32},
    {"uint", ElementType::kUint32},
    {"long", ElementType::kInt64},
    {"long int", ElementType::kInt64},
    {"long long", ElementType::kInt64},
    {"long long int", ElementType::kInt64},
    {"int64_t", ElementType::kInt64},
    {"ptrdiff_t", ElementType::kInt64},
    {"unsigned long", ElementType::kUint64},
    {"unsigned long long", ElementType::kUint64},
    {"unsigned long int", ElementType::kUint64},
    {"unsigned long long int", ElementType::kUint64},
    {"uint64_t", ElementType::kUint64},
    {"size_t", ElementType::kUint64},
});
constexpr int kMostAliases = 8;  // one of another

void append(std::string_view word, std::string& name) {
  const bool joins = name.empty() || word == ":" || name.ends_with(':');
  name += (joins ? "" : " ") + std::string(word);
}

bool is_qualifier(std::string_view word) {
  constexpr std::array<std::string_view, 5> kWords = {"const", "volatile", "restrict", "__restrict",
                                                      "__restrict__"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// "float" and "128" of "scale<float, 128>".
std::vector<std::string> arguments_of(std::string_view instance) {
  const std::size_t open = instance.find('<');
  if (open == std::string_view::npos || !instance.ends_with('>')) return {};
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (const char c : instance.substr(open + 1, instance.size() - open - 2)) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      arguments.emplace_back();
    } else if (c != ' ' || !arguments.back().empty()) {
      arguments.back() += c;
    }
  }
  return arguments;
}

}  // namespace

TypeNames type_names(const CudaSourceScan& scan, const CudaKernel& kernel,
                     std::string_view instance) {
  TypeNames names;
  std::set<std::string> several;
  for (const auto& [name, type] : scan.aliases) {
    const auto [known, is_new] = names.emplace(name, type);
    if (!is_new && known->second != type) several.insert(name);
  }
  for (const std::string& name : several) names.erase(name);
  const std::vector<std::string> arguments = arguments_of(instance);
  for (std::size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    const std::string& name = kernel.template_parameters[i].name;
    names.erase(name);
    if (i < arguments.size()) names[name] = arguments[i];
  }
  return names;
}

std::optional<PlainType> plain_type(std::string_view type, const TypeNames& names) {
  std::string text(type);
  PlainType plain;
  for (int i = 0; i < kMostAliases; ++i) {
    std::string name;
    const SourceTokens read = tokens_of(text);
    for (const SourceToken& token : read.tokens) {
      if (token.text == "const" && !plain.pointer) plain.is_const = true;
      if (is_qualifier(token.text)) continue;
      if (token.text == "*") {
        if (std::exchange(plain.pointer, true)) return std::nullopt;
      } else {
        append(token.text, name);
      }
    }
    constexpr std::string_view kStd = "std::";
    const bool is_std = name.starts_with(kStd) && name.ends_with("_t");
    const std::string_view word = std::string_view(name).substr(is_std ? kStd.size() : 0);
    const auto known =
        std::ranges::find(kTypes, word, &std::pair<std::string_view, ElementType>::first);
    if (known != kTypes.end()) {
      plain.type = known->second;
      return plain;
    }
    const auto alias = names.find(name);
    if (alias == names.end()) return std::nullopt;
    text = alias->second;
  }
  return std::nullopt;
}

std::string_view cuda_name(search::ElementType type) {
  return std::ranges::find(kTypes, type, &std::pair<std::string_view, ElementType>::second)->first;
}

}  // namespace nightshift::problems
