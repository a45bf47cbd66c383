#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluator/backend.h"

namespace nightshift::evaluator {

// The arguments of the compiler for one build, run in the scratch folder, which holds wrapper.cc
// and gets kernel.so. HostBackend::names says what becomes of sizes and parameters; the compiler
// starts from -O2, the source's own flags and, for the kernel, those of flag parameters come after
// and may override it. No debug information, no build id, no symbols, no path: equal machine code
// gives equal bytes. Hidden visibility lets the compiler inline the kernel's own functions in spite
// of -fPIC.
std::vector<std::string> compiler_arguments(const search::HostBackend& host,
                                            const search::HostSource& source,
                                            const search::Configuration& configuration,
                                            const std::string& scratch_folder);

// Sizes, and parameters that are no options.
search::ToldNames told_names(const search::HostBackend& host,
                             const search::Configuration& configuration);

// The source that a build is of: the kernel; the reference, or a baseline of its own.
const search::HostSource& source_of(const search::HostBackend& host,
                                    const ipc::BuildRequest& request);

// Compiles a host kernel, its baseline or its reference to a shared object named by the hash of
// its bytes. The compiler runs under Limits::build and Limits::memory_bytes.
class HostBuilder {
 public:
  explicit HostBuilder(const ipc::ConfigureRequest& request) : setting_(request) {}

  // What cannot be built is a BuildFailed; throws std::exception when the machine is at fault.
  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress);

 private:
  // The wrapper and what goes before the source.
  void write_generated(const search::HostSource& source, const search::ToldNames& told,
                       bool is_reference) const;
  ipc::Artifact store() const;

  ipc::ConfigureRequest setting_;
};

}  // namespace nightshift::evaluator
