#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/backend.h"

namespace nightshift::evaluator {

class ServedProgram;

// What a server of protocol 2 said of the machine code of an artifact, as conditions of what is
// measured with it; none where it said nothing.
std::vector<std::pair<std::string, std::string>> compiler_figures(
    const std::string& artifact_folder, const std::string& artifact);

// The words with which a program of a command is started, without placeholders.
struct CommandLine {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;
};

// How a configuration is run, with `artifact` as the folder of what was built for it. Throws
// std::runtime_error for a placeholder that names nothing.
CommandLine run_line(const search::Problem& problem, const search::Configuration& configuration,
                     const std::string& artifact);
// How it is built into `artifact`, likewise; no words where nothing is built for it.
CommandLine build_line(const search::Problem& problem, const search::Configuration& configuration,
                       const std::string& artifact);

// Builds what a command runs, in a builder process. {artifact} is an empty folder in its scratch
// folder, which it fills; that becomes the artifact.
//
// An artifact is named by what was built and how it is run, so that configurations with the same
// name need to be measured once. Under that name stands a link to the folder, which is named by its
// content alone: what only runs differently is built and kept once.
//
// What goes into a build (words, variables, the content of `inputs`) is its key: a key that was
// built before is not built again. With `inputs` that holds across the runs of a study, else only
// within this process, as its sources may have changed unseen.
//
// A server of protocol 2 is asked to fill the folder instead, and is told the configuration when it
// measures as well: its artifacts are named by their content alone.
class CommandBuilder {
 public:
  // `served`, where given, outlives it.
  explicit CommandBuilder(const ipc::ConfigureRequest& request, ServedProgram* served = nullptr);

  // What cannot be built is a BuildFailed; throws std::exception when the machine is at fault.
  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress);

 private:
  // Of what was built; `bytes` of all its files.
  using Content = ipc::Artifact;

  std::string key_of(const search::Configuration& configuration) const;
  bool is_kept(const std::string& key) const;  // across runs
  std::string kept_key_path(const std::string& key) const;
  const Content* find(const std::string& key);
  // Empty, or the compiler's complaint.
  std::string make(const search::Configuration& configuration, const std::string& key,
                   ProgressSink& progress, Content& made);
  std::string name_of_run(const search::Configuration& configuration, const Content& content) const;

  ipc::ConfigureRequest setting_;
  ServedProgram* served_;
  search::CommandBackend command_;
  bool tells_time_;                       // how long a build took is an objective
  std::map<std::string, Content> built_;  // by key
};

}  // namespace nightshift::evaluator
