#include "evaluator/files_behind.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "evaluator/command/command_builder.h"
#include "evaluator/process/artifact_tree.h"
#include "evaluator/process/program_path.h"
#include "evaluator/sources/option_files.h"
#include "evaluator/sources/source_hash.h"
#include "evaluator/watched_files.h"
#include "search/option_text.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;
using Kind = search::IdentityPart::Kind;
using Words = std::vector<std::string>;

constexpr const char* kArtifact = "{artifact}";  // stands for what is not known yet
constexpr std::array<std::string_view, 12> kSources = {
    ".c", ".cc", ".cpp", ".cxx", ".cu", ".cl", ".hip", ".f90", ".f", ".F90", ".S", ".asm"};
constexpr std::array<std::string_view, 9> kScripts = {".py", ".sh", ".jl",  ".lua", ".pl",
                                                      ".rb", ".R",  ".mjs", ".js"};

template <std::size_t n>
bool has_extension(const fs::path& file, const std::array<std::string_view, n>& extensions) {
  return std::ranges::find(extensions, file.extension().string()) != extensions.end();
}

class Files {
 public:
  search::Identity take() { return std::move(identity_); }
  std::vector<std::string> take_paths() { return std::move(paths_); }

  void source(const std::string& file, const Words& options, const fs::path& folder) {
    if (file.empty()) return;
    attempt([&] {
      const SourceContent content = content_of_source(file, options, folder.string());
      add(Kind::kSource, file, content.hash);
      for (const auto& [name, hash] : content.files) {
        add(Kind::kFile, name, hash);
        paths_.push_back(name);
      }
      paths_.insert(paths_.end(), content.missing.begin(), content.missing.end());
    });
  }

  void file(Kind kind, const std::string& name, const fs::path& path) {
    attempt([&] {
      add(kind, name, content_value(path));
      paths_.push_back(fs::absolute(path).lexically_normal().string());
    });
  }

  void tree(const std::string& path) {
    attempt([&] {
      add(Kind::kInput, path, content_of_tree(path).hash);
      paths_.push_back(path);
    });
  }

  void compiler(const std::string& word, const fs::path& folder) {
    if (const auto program = find_program(word, folder)) {
      file(Kind::kCompilerProgram, word, *program);
    }
  }

  // A source with what the options of its compiler name beside it.
  void built(const std::string& source_file, const Words& given, const fs::path& folder) {
    if (source_file.empty()) return;
    const OptionFiles found = files_in_options(given, folder);
    source(source_file, found.options, folder);
    beside(found, folder, [&](const OptionFiles::File& other) {
      file(Kind::kFile, other.path.string(), other.path);
    });
  }

  // A command line; with `builds` each file that it names is read, else some may be written.
  void line(const Words& words, const fs::path& folder, bool builds) {
    Words given;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].empty() || words[i].find('{') != std::string::npos) continue;
      if (i > 0) {
        given.push_back(words[i]);
      } else if (const auto program = find_program(words[i], folder)) {
        file(Kind::kProgram, words[i], *program);
      }
    }
    if (builds) {
      beside(files_in_options(given, folder), folder,
             [&](const OptionFiles::File& other) { file(Kind::kProgram, other.name, other.path); });
      return;
    }
    for (const std::string& word : given) {
      const fs::path path = folder / word;
      if (!is_file(path)) continue;
      if (has_extension(path, kScripts) || is_program(path)) file(Kind::kProgram, word, path);
    }
  }

 private:
  // What options name, sources with what they include; of other files `add_file`.
  template <class AddFile>
  void beside(const OptionFiles& found, const fs::path& folder, const AddFile& add_file) {
    for (const OptionFiles::File& other : found.files) {
      if (has_extension(other.path, kSources)) {
        source(other.path.string(), found.options, folder);
      } else {
        add_file(other);
      }
    }
    for (const fs::path& profiles : found.folders) tree(profiles.string());
    paths_.insert(paths_.end(), found.missing.begin(), found.missing.end());
  }

  void add(Kind kind, const std::string& name, const std::string& value) {
    const auto known = std::ranges::find_if(identity_, [&](const search::IdentityPart& part) {
      return part.kind == kind && part.name == name;
    });
    if (known == identity_.end()) identity_.push_back({kind, name, value});
  }

  template <class Action>
  static void attempt(const Action& action) {
    try {
      action();
    } catch (const std::exception&) {
      // Whoever needs the file will say why it cannot be read.
    }
  }

  search::Identity identity_;
  std::vector<std::string> paths_;
};

void add_numbers(const std::vector<search::Argument>& arguments, Files& files) {
  for (const search::Argument& argument : arguments) {
    if (!argument.file.empty()) files.file(Kind::kInput, argument.file, argument.file);
  }
}

// Of each value that a flag parameter may have.
Words options_of_flags(const search::Problem& problem) {
  const std::vector<search::FlagParameter>& flags = search::flag_parameters(problem);
  Words options;
  for (const search::Parameter& parameter : problem.parameters) {
    if (std::ranges::find(flags, parameter.name, &search::FlagParameter::parameter) ==
        flags.end()) {
      continue;
    }
    for (const search::Value& value : parameter.values) {
      const search::Configuration one({{parameter.name, value}});
      for (std::string& word : search::option_words(flags, one)) options.push_back(std::move(word));
    }
  }
  return options;
}

void add_host(const search::HostBackend& host, const search::Problem& problem, Files& files) {
  for (const search::HostSource* source : {&host.kernel, &host.baseline, &host.reference}) {
    Words options = source->flags;
    if (source == &host.kernel) {
      const Words more = options_of_flags(problem);
      options.insert(options.end(), more.begin(), more.end());
    }
    files.built(source->file, options, host.directory);
  }
  for (const auto& program : search::compilers(problem)) files.compiler(program, host.directory);
  add_numbers(host.arguments, files);
}

void add_cuda(const search::CudaBackend& cuda, const search::Problem& problem, Files& files) {
  for (const search::CudaSource* source : {&cuda.kernel, &cuda.reference}) {
    Words options;
    for (const std::string& folder : cuda.include_folders) options.push_back("-I" + folder);
    options.insert(options.end(), source->flags.begin(), source->flags.end());
    files.source(source->file, options, cuda.compiler_directory);
  }
  using Compiler = search::CudaBackend::Compiler;
  const bool is_nvcc = cuda.compiler == Compiler::kNvcc || cuda.compiler == Compiler::kAny;
  for (const std::string& word : search::compilers(problem)) {
    if (word.empty() && is_nvcc) files.compiler("nvcc", "");
    if (word.find('/') != std::string::npos && is_file(word)) {
      files.file(Kind::kCompilerProgram, word, word);
    }
  }
  files.line(cuda.compiler_argv, cuda.compiler_directory, true);
  add_numbers(cuda.arguments, files);
}

void add_command(const search::CommandBackend& command, const search::Problem& problem,
                 Files& files) {
  const fs::path& folder = command.directory;
  try {
    files.line(run_line(problem, {}, kArtifact).words, folder, false);
    files.line(build_line(problem, {}, kArtifact).words, folder, true);
  } catch (const std::exception&) {
    // A placeholder that names nothing: the first run says so.
  }
  files.line(command.argv, folder, false);
  files.line(command.build, folder, true);
  for (const std::string& input : command.inputs) files.tree(input);
}

Files read_files(const search::Problem& problem) {
  Files files;
  std::visit(
      base::Overloaded{
          [&](const search::HostBackend& host) { add_host(host, problem, files); },
          [&](const search::CudaBackend& cuda) { add_cuda(cuda, problem, files); },
          [&](const search::CommandBackend& command) { add_command(command, problem, files); },
          [&](const search::RecordedBackend& recorded) {
            files.file(Kind::kRecording, recorded.file, recorded.file);
          },
      },
      problem.backend);
  return files;
}

}  // namespace

search::Identity files_behind(const search::Problem& problem) { return read_files(problem).take(); }

std::vector<std::string> paths_behind(const search::Problem& problem) {
  return read_files(problem).take_paths();
}

}  // namespace nightshift::evaluator
