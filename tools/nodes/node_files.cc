#include "tools/nodes/node_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <variant>

#include "base/overloaded.h"
#include "evaluator/files_behind.h"
#include "search/option_text.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using scheduler::ProblemFile;
using Words = std::vector<std::string>;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder_option(std::string_view option) {
  return option.starts_with("-I") || option.starts_with("-L");
}

// Where a part of the identity lies; empty: each node has its own.
std::string path_of(const search::IdentityPart& part, const search::Problem& problem) {
  using Kind = search::IdentityPart::Kind;
  switch (part.kind) {
    case Kind::kFile:
    case Kind::kInput:
    case Kind::kRecording:
      return part.name;
    case Kind::kProgram: {
      const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
      const std::string path =
          command == nullptr ? "" : (fs::path(command->directory) / part.name).lexically_normal();
      return exists(path) ? path : "";
    }
    default:
      return "";
  }
}

bool is_hash(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void move_file(std::string& file, const std::string& root) {
  if (!file.empty() && exists(root + file)) file = root + file;
}

// Where a path of this machine stands in a word, which a copy has; npos: it has none.
std::size_t copied_path(const std::string& word, const std::string& root) {
  const std::size_t at = search::path_in_option(word);
  if (at >= word.size() || word[at] != '/') return std::string::npos;
  const bool is_copy = word.compare(at, root.size() + 1, root + "/") == 0;
  return !is_copy && exists(root + word.substr(at)) ? at : std::string::npos;
}

// Folders of copies come before the node's own, files in their place.
Words moved_options(const Words& options, const std::string& root) {
  Words moved;
  for (const std::string& option : options) {
    moved.push_back(option);
    const std::size_t at = copied_path(option, root);
    if (at == std::string::npos) continue;
    moved.back().insert(at, root);
    if (is_folder_option(option)) moved.push_back(option);
  }
  return moved;
}

void move_words(Words& words, const std::string& root) {
  for (std::string& word : words) {
    if (word.starts_with('/')) move_file(word, root);
  }
}

void move_directory(std::string& directory, const std::string& root) {
  if (directory.empty()) return;
  if (!directory.starts_with(root + "/")) directory = root + directory;
  fs::create_directories(directory);
}

void move_program(Words& words, std::string& directory, const std::string& root) {
  if (words.empty()) return;
  move_directory(directory, root);
  move_words(words, root);
}

// Folders that have a copy, which is among them, are out; a path in a word of its own becomes its
// copy's.
void use_copies_alone(Words& options, const std::string& root) {
  std::erase_if(options, [&](const std::string& option) {
    return is_folder_option(option) && copied_path(option, root) != std::string::npos;
  });
  for (std::string& option : options) {
    if (copied_path(option, root) == 0) option.insert(0, root);
  }
}

// The folder of the copies is another one on each node: code that keeps `__FILE__` (assert) would
// be other machine code on each. NVRTC has no such option.
void move(search::HostBackend& host, const std::string& root) {
  for (search::HostSource* source : {&host.kernel, &host.baseline, &host.reference}) {
    move_file(source->file, root);
    source->flags = moved_options(source->flags, root);
    source->flags.push_back("-ffile-prefix-map=" + root + "=");
  }
  move_directory(host.directory, root);
  for (search::Argument& argument : host.arguments) move_file(argument.file, root);
}

void move(search::CudaBackend& cuda, const std::string& root) {
  for (search::CudaSource* source : {&cuda.kernel, &cuda.reference}) {
    move_file(source->file, root);
    source->flags = moved_options(source->flags, root);
  }
  for (search::Argument& argument : cuda.arguments) move_file(argument.file, root);
  Words folders;
  for (const std::string& folder : cuda.include_folders) {
    if (exists(root + folder)) folders.push_back(root + folder);
    folders.push_back(folder);
  }
  cuda.include_folders = std::move(folders);
  move_program(cuda.compiler_argv, cuda.compiler_directory, root);
}

void move(search::CommandBackend& command, const std::string& root) {
  move_program(command.argv, command.directory, root);
  for (Words* words :
       {&command.baseline_argv, &command.build, &command.baseline_build, &command.inputs}) {
    move_words(*words, root);
  }
}

void move(search::RecordedBackend& recorded, const std::string& root) {
  move_file(recorded.file, root);
}

std::vector<ProblemFile> files_of(const search::Problem& problem) {
  std::vector<ProblemFile> files;
  for (const search::IdentityPart& part : evaluator::files_behind(problem)) {
    const std::string path = path_of(part, problem);
    const bool known = std::ranges::find(files, path, &ProblemFile::path) != files.end();
    if (!path.empty() && !known && is_hash(part.value)) files.push_back({path, part.value});
  }
  return files;
}

bool is_same_here(const search::Problem& here, const search::Problem& moved,
                  const std::string& root) {
  const std::vector<ProblemFile> own = files_of(here), copies = files_of(moved);
  return std::ranges::equal(own, copies, [&](const ProblemFile& a, const ProblemFile& b) {
    return root + a.path == b.path && a.hash == b.hash;
  });
}

}  // namespace

scheduler::PortableProblem portable(const search::Problem& problem) {
  scheduler::PortableProblem result{problem, {}};
  if (auto* host = std::get_if<search::HostBackend>(&result.problem.backend)) {
    for (auto* source : {&host->kernel, &host->baseline, &host->reference}) {
      source->flags = search::with_absolute_folders(source->flags, host->directory);
    }
  } else if (auto* cuda = std::get_if<search::CudaBackend>(&result.problem.backend)) {
    for (auto* source : {&cuda->kernel, &cuda->reference}) {
      source->flags = search::with_absolute_folders(source->flags, cuda->compiler_directory);
    }
  }
  result.files = files_of(result.problem);
  return result;
}

search::Problem at_copies(search::Problem problem, const std::string& root) {
  std::visit([&](auto& backend) { move(backend, root); }, problem.backend);
  if (auto* host = std::get_if<search::HostBackend>(&problem.backend)) {
    for (auto* source : {&host->kernel, &host->baseline, &host->reference}) {
      use_copies_alone(source->flags, root);
    }
  } else if (auto* cuda = std::get_if<search::CudaBackend>(&problem.backend)) {
    for (auto* source : {&cuda->kernel, &cuda->reference}) use_copies_alone(source->flags, root);
    std::erase_if(cuda->include_folders, [&](const auto& folder) {
      return copied_path(folder, root) != std::string::npos;
    });
  }
  return problem;
}

search::Problem at_home(search::Problem problem, const std::vector<std::string>& files,
                        const std::string& root) {
  search::Problem moved = problem;
  std::visit([&](auto& backend) { move(backend, root); }, moved.backend);
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  if (command == nullptr) return moved;
  const bool are_here = exists(command->directory) && std::ranges::all_of(files, exists);
  return are_here && is_same_here(problem, moved, root) ? problem : moved;
}

}  // namespace nightshift::tools
