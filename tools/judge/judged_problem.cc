#include "tools/judge/judged_problem.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "problems/judged_source.h"
#include "search/option_text.h"
#include "search/source_language.h"
#include "tools/problem/judged_file.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& file) { return fs::path(file).parent_path().string(); }

// The file of the kernel that a candidate replaces.
std::string own_source(const search::Problem& problem) {
  if (const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend)) {
    return cuda->kernel.file;
  }
  if (const auto* host = std::get_if<search::HostBackend>(&problem.backend)) {
    return host->kernel.file;
  }
  throw UsageError("judge: candidates are sources of [host] and [cuda] kernels, and " +
                   problem.file + " is a [" + std::string(search::name_of(problem.backend)) +
                   "] problem");
}

// As what a candidate of a [host] problem is compiled, as the end of a name.
std::string_view ending_of(const std::string& source) {
  if (search::language_of_name(source) == search::SourceLanguage::kOther) {
    throw UsageError("judge: " + source +
                     " is neither C++, C, Fortran nor assembler: give a source in one of these");
  }
  return judged_ending(source);
}

// No file has two languages: the kernel is built by itself, as it was, as the baseline.
void set_apart(search::HostBackend& host, const search::Configuration& own) {
  if (!host.baseline.file.empty()) return;
  host.baseline = host.kernel;
  for (std::string& word : search::option_words(host.flag_parameters, own)) {
    host.baseline.flags.push_back(std::move(word));
  }
}

}  // namespace

Field judged(const search::Problem& problem, const std::string& candidate,
             const std::string& folder) {
  Field field;
  field.problem = problem;
  std::error_code missing;
  const fs::path source = fs::canonical(candidate, missing);
  if (missing || !fs::is_regular_file(source)) {
    throw UsageError("judge: there is no file " + candidate);
  }
  const std::string own = own_source(problem);
  std::string_view ending = ".cu";
  if (auto* host = std::get_if<search::HostBackend>(&field.problem.backend)) {
    ending = ending_of(source.string());
    if (ending != judged_ending(own)) set_apart(*host, search::resolved(problem, {}));
  }
  problems::JudgedSource sources;
  sources.source = folder + "/judged" + std::string(ending);
  sources.folders = {source.parent_path().string(), folder_of(own)};
  write_judged_file(sources.source, own, {{sources.candidate, source.string()}});
  problems::set_judged_source(field.problem, sources);
  search::Configuration its = search::resolved(field.problem, {});
  its.set(problems::kCandidateParameter, sources.candidate);
  field.contenders = {{"the baseline", {}}, {candidate, its}};
  return field;
}

}  // namespace nightshift::tools
