#include "tools/judge/judged_problem.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <variant>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhich = "NIGHTSHIFT_CANDIDATE";  // 0: the problem's own source; a macro

void write_source(const std::string& path, const std::string& own, const std::string& candidate) {
  std::ofstream file(path, std::ios::trunc);
  file << "#if " << kWhich << "\n#include \"" << candidate << "\"\n#else\n#include \"" << own
       << "\"\n#endif\n";
  if (!file.flush()) throw UsageError(path + " cannot be written");
}

// `own` becomes a source that is the candidate's or the problem's own. The folders of both.
std::vector<std::string> replace(std::string& own, const std::string& file,
                                 const fs::path& candidate) {
  write_source(file, own, candidate.string());
  std::vector<std::string> folders = {candidate.parent_path().string(),
                                      fs::path(own).parent_path().string()};
  own = file;
  return folders;
}

search::Configuration with(search::Configuration configuration, std::int64_t which) {
  configuration.set(kWhich, which);
  return configuration;
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
  if (auto* cuda = std::get_if<search::CudaBackend>(&field.problem.backend)) {
    const auto folders = replace(cuda->kernel.file, folder + "/judged.cu", source);
    cuda->include_folders.insert(cuda->include_folders.end(), folders.begin(), folders.end());
  } else if (auto* host = std::get_if<search::HostBackend>(&field.problem.backend)) {
    for (const std::string& include : replace(host->kernel.file, folder + "/judged.cc", source)) {
      host->kernel.flags.push_back("-I" + include);
    }
  } else {
    throw UsageError("judge: candidates are C++ and CUDA C++ sources, and " + problem.file +
                     " is a [" + std::string(search::name_of(problem.backend)) + "] problem");
  }

  search::Parameter which;
  which.name = kWhich;
  which.values = {std::int64_t{0}, std::int64_t{1}};
  which.default_value = which.values.front();
  field.problem.parameters.push_back(which);
  const search::Configuration own = search::resolved(problem, {});
  field.problem.baseline = with(own, 0);
  field.contenders = {{"the baseline", {}}, {candidate, with(own, 1)}};
  return field;
}

}  // namespace nightshift::tools
