#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluator/backend.h"
#include "ipc/child_process.h"
#include "ipc/messages.h"
#include "search/source_names.h"

namespace nightshift::evaluator {

// Runs a compiler in the scratch folder, within the limits of a build. One that was killed from
// outside is started again (outside_kills.h); one that was held from outside until its limit is a
// HeldBuild, which is thrown. Returns its complaint; empty where it succeeded.
// `output` and `said`, where given, receive what it wrote to standard output and to standard error.
std::string run_compiler(const ipc::ConfigureRequest& setting,
                         const std::vector<std::string>& program, ProgressSink& progress,
                         std::string* output = nullptr, std::string* said = nullptr);

// A program that builds, in the words of a problem. Variables that it does not set are as they are
// for a compiler: temporary files go into the scratch folder, messages and __DATE__ do not vary.
struct BuildProgram {
  std::string name = "the compiler";  // for people
  std::vector<std::string> words;     // program and arguments
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string directory = {};  // where it is started; empty = the scratch folder
  std::string output = {};     // a folder that it fills; empty before each start; none where empty
};
// As run_compiler().
std::string run_build(const ipc::ConfigureRequest& setting, const BuildProgram& program,
                      ProgressSink& progress, std::string* output = nullptr,
                      std::string* said = nullptr);

// The part of a compiler's output that says what is wrong: from the first error on, 4 KiB at most.
std::string first_errors(std::string_view output);

// The first one of these, with the lines of the source that compilers show below it.
std::string_view first_error(std::string_view errors);

// Divides parameters into those that a source is told and flag parameters, as the options that they
// become; those that `compiler` names (compiler_text()) are neither. With `tuned` false there are
// no options: flags do not concern what is not tuned.
void append_parameters(const std::string& compiler, const search::Configuration& configuration,
                       const std::vector<search::FlagParameter>& flags, bool tuned,
                       search::ToldNames& told, std::vector<std::string>& options);

}  // namespace nightshift::evaluator
