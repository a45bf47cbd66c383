#include "search/source_language.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nightshift::search {
namespace {

using Ending = std::pair<std::string_view, SourceLanguage>;

constexpr std::array<Ending, 33> kEndings = {{
    {".c", SourceLanguage::kC},         {".f", SourceLanguage::kFortran},
    {".for", SourceLanguage::kFortran}, {".ftn", SourceLanguage::kFortran},
    {".f90", SourceLanguage::kFortran}, {".f95", SourceLanguage::kFortran},
    {".f03", SourceLanguage::kFortran}, {".f08", SourceLanguage::kFortran},
    {".F", SourceLanguage::kFortran},   {".FOR", SourceLanguage::kFortran},
    {".F90", SourceLanguage::kFortran}, {".F95", SourceLanguage::kFortran},
    {".F03", SourceLanguage::kFortran}, {".F08", SourceLanguage::kFortran},
    {".s", SourceLanguage::kAssembler}, {".S", SourceLanguage::kAssembler},
    {".rs", SourceLanguage::kOther},    {".go", SourceLanguage::kOther},
    {".zig", SourceLanguage::kOther},   {".swift", SourceLanguage::kOther},
    {".d", SourceLanguage::kOther},     {".adb", SourceLanguage::kOther},
    {".ads", SourceLanguage::kOther},   {".java", SourceLanguage::kOther},
    {".py", SourceLanguage::kOther},    {".jl", SourceLanguage::kOther},
    {".m", SourceLanguage::kOther},     {".mm", SourceLanguage::kOther},
    {".ml", SourceLanguage::kOther},    {".hs", SourceLanguage::kOther},
    {".pas", SourceLanguage::kOther},   {".cl", SourceLanguage::kOther},
    {".comp", SourceLanguage::kOther},
}};

}  // namespace

SourceLanguage language_of_name(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return SourceLanguage::kCpp;
  const auto* const found = std::ranges::find(kEndings, file.substr(dot), &Ending::first);
  return found == kEndings.end() ? SourceLanguage::kCpp : found->second;
}

bool is_fixed_form(std::string_view file) {
  constexpr std::array<std::string_view, 5> kEnds = {".f", ".for", ".ftn", ".F", ".FOR"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return file.ends_with(end); });
}

bool is_source_name(std::string_view file) {
  constexpr std::array<std::string_view, 9> kOfCpp = {".cc",  ".cpp", ".cxx", ".c++", ".cu",
                                                      ".cuh", ".h",   ".hh",  ".hpp"};
  if (language_of_name(file) != SourceLanguage::kCpp) return true;
  return std::ranges::any_of(kOfCpp, [&](std::string_view end) { return file.ends_with(end); });
}

std::string_view name_of(SourceLanguage language) {
  constexpr std::array<std::string_view, 5> kNames = {"C++", "C", "Fortran", "assembler", "other"};
  return kNames[static_cast<std::size_t>(language)];
}

}  // namespace nightshift::search
