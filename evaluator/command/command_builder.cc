#include "evaluator/command/command_builder.h"

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>
#include <variant>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/command/served_build.h"
#include "evaluator/counters/build_time.h"
#include "evaluator/counters/own_objectives.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/artifact_tree.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/sources/option_files.h"
#include "evaluator/sources/source_hash.h"
#include "search/option_text.h"
#include "search/substitution.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kArtifact = "artifact";       // the placeholder
constexpr const char* kPlaceholder = "{artifact}";  // in what is hashed: folders do not matter
constexpr const char* kNothing = "nothing is built";

search::Configuration with_artifact(const search::Problem& problem,
                                    const search::Configuration& configuration,
                                    const std::string& artifact) {
  std::vector<search::Configuration::Entry> entries =
      search::resolved(problem, configuration).entries();
  if (!std::get<search::CommandBackend>(problem.backend).build.empty()) {
    entries.emplace_back(kArtifact, artifact);
  }
  return search::Configuration(std::move(entries));
}

Variables substituted_in(Variables variables, const search::Configuration& values) {
  for (auto& [name, value] : variables) value = search::substituted(value, values);
  return variables;
}

// Each part ends in a zero byte, which none of them has.
std::string text_of(const CommandLine& line) {
  std::string text;
  for (const std::string& word : line.words) text += word + '\0';
  text += '\0';
  for (const auto& [name, value] : line.environment) text += name + "=" + value + '\0';
  return text + '\0';
}

// Of the files that the words of a build name, sources with what they include.
std::string content_of_words(const std::vector<std::string>& words, const std::string& folder) {
  std::string text;
  const OptionFiles found = files_in_options({words.begin() + 1, words.end()}, folder);
  for (const auto& [name, path] : found.files) {
    try {
      const std::string hash = hash_of_source(path.string(), found.options, folder);
      text += name + '\0' + hash + '\0';
    } catch (const std::exception&) {
      text += name + '\0';  // the build will say why it cannot be read
    }
  }
  return text;
}

}  // namespace

// Of a baseline that is another program only where it says how.
CommandLine build_line(const search::Problem& problem, const search::Configuration& configuration,
                       const std::string& artifact) {
  const auto& command = std::get<search::CommandBackend>(problem.backend);
  const bool is_another = configuration.is_baseline() &&
                          (!command.baseline_argv.empty() || !command.baseline_build.empty());
  const search::Configuration values = with_artifact(problem, configuration, artifact);
  std::vector<std::string> words;
  for (const std::string& word : is_another ? command.baseline_build : command.build) {
    if (word != search::kFlagsWord) {
      words.push_back(search::substituted(word, values));
      continue;
    }
    for (std::string& option : search::option_words(command.flag_parameters, values)) {
      words.push_back(std::move(option));
    }
  }
  return {std::move(words), substituted_in(command.build_environment, values)};
}

CommandLine run_line(const search::Problem& problem, const search::Configuration& configuration,
                     const std::string& artifact) {
  const auto& command = std::get<search::CommandBackend>(problem.backend);
  const bool plain = configuration.is_baseline() && !command.baseline_argv.empty();
  const search::Configuration values = with_artifact(problem, configuration, artifact);
  return {search::substituted(plain ? command.baseline_argv : command.argv, values),
          substituted_in(command.environment, values)};
}

CommandBuilder::CommandBuilder(const ipc::ConfigureRequest& request, ServedProgram* served)
    : setting_(request),
      served_(served),
      command_(std::get<search::CommandBackend>(request.problem.backend)),
      tells_time_(wants(own_objectives(request.problem), search::OwnFigure::kBuildTime)) {}

std::string CommandBuilder::key_of(const search::Configuration& configuration) const {
  CommandLine line;
  if (served_ != nullptr) {
    line = {command_.argv, command_.environment};
    line.words.push_back(asked_of(setting_.problem, configuration));
    line.words.push_back(std::to_string(setting_.gpu.architecture));
    line.words.push_back(std::to_string(setting_.gpu.multiprocessors));
  } else {
    line = build_line(setting_.problem, configuration, kPlaceholder);
  }
  if (line.words.empty()) return kNothing;
  std::string text = text_of(line) + command_.directory + '\0';
  if (served_ == nullptr) text += content_of_words(line.words, command_.directory);
  for (const std::string& input : command_.inputs) {
    text += input + '\0' + content_of_tree(input).hash + '\0';
  }
  return base::content_hash(text);
}

bool CommandBuilder::is_kept(const std::string& key) const {
  return !command_.inputs.empty() && key != kNothing;
}

std::string CommandBuilder::kept_key_path(const std::string& key) const {
  return artifact_path(setting_.artifact_folder, "build-" + key).string();
}

// What was removed or damaged since is built anew.
const CommandBuilder::Content* CommandBuilder::find(const std::string& key) {
  const auto place = [this](const std::string& hash) {
    return artifact_path(setting_.artifact_folder, hash);
  };
  if (const auto it = built_.find(key); it != built_.end()) {
    if (is_whole(place(it->second.hash))) return &it->second;
    built_.erase(it);
    return nullptr;
  }
  std::error_code missing;
  if (!is_kept(key) || !fs::exists(kept_key_path(key), missing)) return nullptr;
  try {
    const std::string hash = base::read_whole_file(kept_key_path(key));
    const TreeContent content = content_of_tree(place(hash));
    if (content.hash != hash) return nullptr;
    return &built_.emplace(key, Content{hash, content.bytes}).first->second;
  } catch (const std::exception&) {
    return nullptr;
  }
}

std::vector<std::pair<std::string, std::string>> compiler_figures(
    const std::string& artifact_folder, const std::string& artifact) {
  std::vector<std::pair<std::string, std::string>> figures;
  std::istringstream file(
      base::text_if_there(artifact_path(artifact_folder, kFigures + artifact).string()));
  for (std::string name, value; file >> name >> value;) figures.emplace_back(name, value);
  return figures;
}

std::string CommandBuilder::make(const search::Configuration& configuration, const std::string& key,
                                 ProgressSink& progress, Content& made) {
  const fs::path output = fs::path(setting_.scratch_folder) / "artifact";
  fs::remove_all(output);
  fs::create_directories(output);
  std::string figures;
  double seconds = 0;
  if (served_ != nullptr) {
    served::Texts said;
    std::string complaint = build_served(*served_,
                                         {asked_of(setting_.problem, configuration),
                                          output.string(),
                                          {},
                                          setting_.gpu,
                                          setting_.problem.limits.build},
                                         said, progress);
    if (!complaint.empty()) return complaint;
    for (const auto& [name, value] : said) figures += name + " " + value + "\n";
  } else if (key != kNothing) {
    CommandLine line = build_line(setting_.problem, configuration, output.string());
    BuildProgram program{"the build", std::move(line.words), std::move(line.environment),
                         command_.directory, output.string()};
    const auto start = Clock::now();
    std::string complaint = run_build(setting_, program, progress);
    seconds = seconds_since(start);
    if (!complaint.empty()) return complaint;
  }
  const TreeContent content = content_of_tree(output);
  if (content.files == 0 && key != kNothing) {
    return "the build ended well, but put no file into {artifact}: " + output.string();
  }
  keep_tree(output, content, kept_path(setting_.artifact_folder, content.hash));
  if (!figures.empty()) {
    base::write_whole_file(
        artifact_path(setting_.artifact_folder, kFigures + content.hash).string(), figures);
  }
  if (tells_time_) keep_build_time(setting_.artifact_folder, content.hash, seconds);
  made = {content.hash, content.bytes};
  // What was written to meanwhile is not what the key names.
  if (key_of(configuration) != key) return {};
  built_[key] = made;
  if (is_kept(key)) base::write_whole_file(kept_key_path(key), content.hash);
  return {};
}

std::string CommandBuilder::name_of_run(const search::Configuration& configuration,
                                        const Content& content) const {
  return base::content_hash(content.hash + '\0' +
                            text_of(run_line(setting_.problem, configuration, kPlaceholder)));
}

ipc::BuiltReply CommandBuilder::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  const auto start = Clock::now();
  const std::string key = key_of(request.configuration);
  Content content;
  if (const Content* known = find(key)) {
    content = *known;
  } else {
    const std::string complaint = make(request.configuration, key, progress, content);
    if (!complaint.empty()) return {search::BuildFailed{complaint}, seconds_since(start)};
  }
  if (served_ != nullptr) return {content, seconds_since(start)};
  const ipc::Artifact artifact{name_of_run(request.configuration, content), content.bytes};
  if (tells_time_) {
    keep_build_time(setting_.artifact_folder, artifact.hash,
                    build_time(setting_.artifact_folder, content.hash));
  }
  const std::string link = artifact_path(setting_.artifact_folder, artifact.hash).string();
  const std::string beside = link + "." + std::to_string(::getpid());
  std::error_code ignored;
  fs::remove(beside, ignored);
  fs::create_directory_symlink(content.hash, beside);
  fs::rename(beside, link);
  return {artifact, seconds_since(start)};
}

}  // namespace nightshift::evaluator
