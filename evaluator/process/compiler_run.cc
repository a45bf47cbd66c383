#include "evaluator/process/compiler_run.h"

#include <algorithm>
#include <filesystem>
#include <variant>

#include "evaluator/process/held_build.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/memory_limit.h"
#include "evaluator/process/outside_kills.h"
#include "ipc/orphans.h"
#include "search/option_text.h"
#include "search/substitution.h"
#include "search/telling_line.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kCompilerOutputBytes = 256 << 10;

}  // namespace

void append_parameters(const std::string& compiler, const search::Configuration& configuration,
                       const std::vector<search::FlagParameter>& flags, bool tuned,
                       search::ToldNames& told, std::vector<std::string>& options) {
  const std::vector<std::string> of_compiler = search::placeholders(compiler);
  for (const auto& [name, value] : configuration.entries()) {
    if (std::ranges::find(of_compiler, name) != of_compiler.end()) continue;
    if (std::ranges::find(flags, name, &search::FlagParameter::parameter) == flags.end()) {
      told.emplace_back(name, value);
    } else if (tuned) {
      for (std::string& word :
           search::option_words(flags, search::Configuration({{name, value}}))) {
        options.push_back(std::move(word));
      }
    }
  }
}

std::string first_errors(std::string_view output) {
  const std::size_t first = search::first_error_line(output);
  if (first != std::string_view::npos) output.remove_prefix(first);
  return head_of(std::string(output), kLastWordsBytes);
}

std::string_view first_error(std::string_view errors) {
  const std::size_t own = std::min(errors.find('\n'), errors.size());
  const std::size_t next = std::min(errors.find(" error: ", own), errors.find(" warning: ", own));
  return next == std::string_view::npos ? errors : errors.substr(0, errors.rfind('\n', next));
}

std::string run_compiler(const ipc::ConfigureRequest& setting,
                         const std::vector<std::string>& program, ProgressSink& progress,
                         std::string* output, std::string* said) {
  BuildProgram compiler;
  compiler.words = program;
  return run_build(setting, compiler, progress, output, said);
}

namespace {

constexpr std::uint64_t kLargestMade = std::uint64_t{2} << 30;  // bytes of a file

std::uint64_t half_of_memory() { return machine_memory().bytes / 2; }

LaunchOptions options_of(const ipc::ConfigureRequest& setting, const BuildProgram& program) {
  LaunchOptions options;
  options.program = program.words;
  options.environment = program.environment;
  const std::pair<const char*, std::string> usual[] = {
      {"TMPDIR", setting.scratch_folder}, {"LC_ALL", "C"}, {"SOURCE_DATE_EPOCH", "0"}};
  for (const auto& [name, value] : usual) {
    const bool is_set = std::any_of(program.environment.begin(), program.environment.end(),
                                    [&name = name](const auto& set) { return set.first == name; });
    if (!is_set) options.environment.emplace_back(name, value);
  }
  options.directory = program.directory.empty() ? setting.scratch_folder : program.directory;
  options.limits.address_space = setting.problem.limits.memory_bytes;
  if (setting.problem.sampling.trust == search::Trust::kNone) {
    // Somebody else's source may include /dev/zero, or define an array of the size of the disk.
    options.limits.data = half_of_memory();
    options.limits.file = kLargestMade;
  }
  options.output_bytes = kCompilerOutputBytes;
  return options;
}

// What is wrong with a program that has ended; empty where nothing is.
std::string complaint_of(const BuildProgram& program, const ipc::ExitReport& report,
                         const std::string& output, const std::string& words,
                         std::uint64_t memory_bytes) {
  const auto* exited = std::get_if<ipc::Exited>(&report);
  if (exited != nullptr && exited->code == 0) return {};
  std::string errors = first_errors(words);
  if (errors.empty()) errors = first_errors(output);
  return errors.empty() ? program.name + " failed without a word: " + ipc::describe(report)
                        : with_memory_limit(errors, memory_bytes);
}

std::string run_to_its_end(const ipc::ConfigureRequest& setting, const BuildProgram& program,
                           ProgressSink& progress, std::string* output, std::string* said) {
  const double limit = setting.problem.limits.build;
  const LaunchOptions options = options_of(setting, program);
  const auto deadline = after(Clock::now(), own_share_of(limit));
  for (OutsideKills kills(options.limits.address_space > 0);;) {
    ipc::ChildProcess compiler = launch(options);
    SignsOfWork signs;
    const auto report = wait_for_end(compiler, deadline, progress, signs);
    ipc::sweep_orphans({});
    if (!report) {
      if (!signs.held().empty()) throw HeldBuild(program.name, signs.held(), limit);
      return program.name + " took longer than limits.build, " +
             search::to_text(search::Value(limit)) + " s";
    }
    const std::string words = compiler.standard_error();
    // ninja passes on by standard output what its children say.
    const std::string all = words + "\n" + compiler.standard_output();
    if (kills.again(*report, all, deadline, progress)) {
      if (!program.output.empty()) {
        std::filesystem::remove_all(program.output);
        std::filesystem::create_directories(program.output);
      }
      continue;
    }
    if (output != nullptr) *output = compiler.standard_output();
    if (said != nullptr) *said = words;
    return kills.told(program.name) + complaint_of(program, *report, compiler.standard_output(),
                                                   words, setting.problem.limits.memory_bytes);
  }
}

}  // namespace

std::string run_build(const ipc::ConfigureRequest& setting, const BuildProgram& program,
                      ProgressSink& progress, std::string* output, std::string* said) {
  try {
    return once_it_starts(progress,
                          [&] { return run_to_its_end(setting, program, progress, output, said); });
  } catch (const NotStarted& e) {
    return program.name + " cannot be started: " + e.what();
  }
}

}  // namespace nightshift::evaluator
