#include "evaluator/host/build/source_language.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/file_text.h"
#include "evaluator/process/program_path.h"
#include "problems/judged_source.h"
#include "search/option_text.h"
#include "search/substitution.h"

namespace nightshift::evaluator {
namespace {

using search::SourceLanguage;

constexpr const char* kFortranCompiler = "gfortran";

std::string text_of(const std::string& file) {
  try {
    return base::read_whole_file(file);
  } catch (const std::runtime_error&) {
    return {};  // the compiler says it
  }
}

bool is_of_fortran(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return name.find("fort") != std::string::npos || name.starts_with("flang") ||
         name.starts_with("ifx");
}

// Without blanks and in small letters, as Fortran does not tell them apart.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace

SourceLanguage language_of_file(const std::string& file) {
  const SourceLanguage language = search::language_of_name(file);
  if (language != SourceLanguage::kC) return language;
  const std::string text = text_of(file);
  const bool is_cpp = text.find("extern \"C\"") != std::string::npos &&
                      text.find("__cplusplus") == std::string::npos;
  return is_cpp ? SourceLanguage::kCpp : language;
}

std::string compiled_file(const search::HostBackend& host, const search::HostSource& source,
                          const search::Configuration& configuration) {
  if (source != host.kernel) return source.file;
  const std::vector<std::string> options =
      search::option_words(host.flag_parameters, configuration);
  const std::string included = problems::included_source(text_of(source.file), options);
  return included.empty() ? source.file : included;
}

std::string compiler_program(const search::HostBackend& host, const search::HostSource& source,
                             const search::Configuration& configuration) {
  const std::string program = search::substituted(host.compiler, configuration);
  const bool is_fortran = search::language_of_name(source.file) == SourceLanguage::kFortran;
  return is_fortran && !is_of_fortran(program) ? kFortranCompiler : program;
}

std::string module_option(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return name.starts_with("if") ? "-module" : "-J";  // ifort, ifx
}

std::string language_complaint(const search::HostSource& source, const std::string& program) {
  if (search::language_of_name(source.file) != SourceLanguage::kFortran) return {};
  const std::string name = std::filesystem::path(source.file).filename().string();
  if (!find_program(program)) {
    return name + " is Fortran, and there is no " + program +
           " (Debian's package gfortran has it; host.compiler names another one)";
  }
  if (squeezed(text_of(source.file)).find("bind(c") != std::string::npos) return {};
  return name + ": write bind(C, name=\"" + source.function +
         "\") behind the subroutine, and `value` into scalars: nothing else can call it";
}

}  // namespace nightshift::evaluator
