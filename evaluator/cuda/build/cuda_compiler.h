#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/cuda/build/build_cache.h"
#include "evaluator/cuda/build/compile_options.h"
#include "evaluator/cuda/driver/nvrtc.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "search/configuration.h"
#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

// Makes machine code of the sources of a problem by NVRTC or nvcc, and keeps it for the next study.
//
// A source that NVRTC does not compile is tried without what is for hosts and, where the problem
// names no compiler, by nvcc. The first way that compiles the baseline is that of all
// configurations of which NVRTC does not compile the source as it is. Packs of other ways say so
// among their remarks.
class CudaCompiler {
 public:
  explicit CudaCompiler(const ipc::ConfigureRequest& setting);

  struct Task {
    bool reference = false;
    std::size_t which = 0;  // case
    const search::Configuration& configuration;
  };
  // A pack of one module, with the kernels that the task's launches need. Throws std::runtime_error
  // with the compiler's words.
  ArtifactPack compile(const Task& task, ProgressSink& progress);
  std::string ptx(const Task& task, ProgressSink& progress);

 private:
  struct Way {
    CudaWay kind = CudaWay::kNvrtc;
    bool settled = false;
    std::string why;  // not the first one: for people
  };
  struct FoundCompiler {
    std::string program;   // nvcc; empty: NVRTC
    std::string identity;  // what tells its machine code from that of others
  };
  // What is compiled: the parts of a task.
  struct Unit {
    const search::CudaSource& source;
    CudaWay way;
    std::string word;  // CudaBackend::compiler_word, substituted
    TellingSource telling;
    std::vector<std::string> options;
    std::vector<PlannedLaunch> launches;
  };

  const search::CudaSource& source_of(const Task& task) const;
  std::vector<PlannedLaunch> launches_of(const Task& task) const;
  Unit unit_of(const Task& task, CudaWay way) const;
  ArtifactPack compile_by(const Task& task, const Way& way, ProgressSink& progress);
  void settle(const Task& failed, const std::string& error, Way& way, ProgressSink& progress);

  PackedModule compile_now(const Unit& unit, ProgressSink& progress);
  static PackedModule by_nvrtc(const Unit& unit, const std::vector<std::string>& expressions);
  PackedModule by_nvcc(const Unit& unit, const std::vector<std::string>& marked,
                       ProgressSink& progress);
  static NvrtcProgram program_of(const Unit& unit, const std::vector<std::string>& expressions);
  // The file that nvcc makes; `said` receives what it says of it.
  std::string made_by_nvcc(const Unit& unit, const std::vector<std::string>& marked,
                           ProgressSink& progress, std::string& said);
  std::string file_for_nvcc(const Unit& unit, const std::vector<std::string>& marked) const;
  const FoundCompiler& compiler(CudaWay way, const std::string& word, ProgressSink& progress);
  FoundCompiler found_nvcc(const std::string& word, ProgressSink& progress) const;
  std::string said_version(const std::string& nvcc, ProgressSink& progress) const;
  static std::string cache_key(const FoundCompiler& compiler, const Unit& unit);

  ipc::ConfigureRequest setting_;
  const search::CudaBackend& cuda_;
  BuildCache cache_;
  std::map<std::string, FoundCompiler> compilers_;  // by kind and word
  std::map<std::string, Way> ways_;                 // by source
};

}  // namespace nightshift::evaluator::cuda
