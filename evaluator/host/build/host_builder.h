#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "evaluator/backend.h"

namespace nightshift::evaluator {

// The arguments of the compiler for one build, run in HostBackend::directory. The scratch folder holds
// wrapper.cc and gets kernel.so. HostBackend::names says what becomes of sizes and parameters; the compiler
// starts from -O2, the source's own flags and, for the kernel, those of flag parameters come after
// and may override it. No debug information, no build id, no symbols, no path: equal machine code
// gives equal bytes. Hidden visibility lets the compiler inline the kernel's own functions in spite
// of -fPIC.
std::vector<std::string> compiler_arguments(const search::HostBackend& host,
                                            const search::HostSource& source,
                                            const search::Configuration& configuration,
                                            const std::string& scratch_folder,
                                            std::size_t which = 0);

// The compiler with its arguments, for people: with the source in place of what includes it.
std::vector<std::string> shown_arguments(const search::HostBackend& host,
                                         const search::HostSource& source,
                                         const search::Configuration& configuration,
                                         std::size_t which);

// Sizes of that case, and parameters that are no options.
search::ToldNames told_names(const search::HostBackend& host,
                             const search::Configuration& configuration, std::size_t which = 0);

// The shared object of one case in an artifact: the artifact itself, or where the problem has
// several cases the one of its number in the artifact, a folder.
std::filesystem::path library_of(const search::HostBackend& host,
                                 const std::filesystem::path& artifact, std::size_t which);

// The source that a build is of: the kernel; the reference, or a baseline of its own.
const search::HostSource& source_of(const search::HostBackend& host,
                                    const ipc::BuildRequest& request);

// Compiles a host kernel, its baseline or its reference to a shared object named by the hash of
// its bytes, or to a folder with one for each case, named by the hash of all of them. Behind the code
// stands what the configuration decides of the call (call_of()), so that equal code with another call
// is another artifact. What the compiler is given alike for several cases is compiled once. Each run of the compiler is under
// Limits::build and Limits::memory_bytes.
class HostBuilder {
 public:
  explicit HostBuilder(const ipc::ConfigureRequest& request) : setting_(request) {}

  // What cannot be built is a BuildFailed; throws std::exception when the machine is at fault.
  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress);

  // Writes what is generated for that case into the scratch folder; returns the compiler and its
  // arguments, which put kernel.so there.
  std::vector<std::string> prepare(const ipc::BuildRequest& request, std::size_t which) const;
  // Runs what prepare() returned. The complaint of the compiler; empty where it succeeded.
  std::string compile(const std::vector<std::string>& program, ProgressSink& progress) const;

 private:
  // The wrapper and what goes before the source.
  void write_generated(const ipc::BuildRequest& request, const search::Configuration& configuration,
                       std::size_t which) const;
  // All that the compiler is given, but for the source itself.
  std::string given(const std::vector<std::string>& program) const;
  struct Made;  // shared objects of earlier cases
  // Why it cannot be built; empty where the shared object of the case stands in its place.
  std::string build_case(const ipc::BuildRequest& request, std::size_t which, Made& made,
                         ProgressSink& progress) const;
  ipc::Artifact store() const;
  ipc::Artifact store_cases() const;
  std::filesystem::path gathered() const;

  ipc::ConfigureRequest setting_;
};

}  // namespace nightshift::evaluator
