#include "tools/problem/python_imports.h"

#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <variant>

#include "ipc/listening_socket.h"
#include "ipc/orphans.h"
#include "tools/problem/bundled_python.h"

namespace nightshift::tools {
namespace {

constexpr const char* kName = "NIGHTSHIFT_IMPORTS";
constexpr int kListening = 3;           // the descriptor that it listens on
constexpr std::size_t kMarkBytes = 32;  // of a run's mark, whose place what is forked from it fills

std::string fresh_name() {
  std::uint64_t random = 0;
  (void)!::getrandom(&random, sizeof random, 0);
  return "nightshift-imports-" + std::to_string(::getpid()) + "-" + std::to_string(random);
}

}  // namespace

PythonImports& PythonImports::of_this_run() {
  static PythonImports imports;
  return imports;
}

void PythonImports::start(const PythonHere& python) {
  const char* set = std::getenv(kName);
  const bool unwanted = set != nullptr && *set == '\0';
  if (process_ || pool_runs_ || unwanted) return;
  try {
    const std::string name = fresh_name();
    const ipc::UniqueFd listening = ipc::listening_socket(name);
    ipc::SpawnOptions options;
    options.program = python.interpreter;
    options.arguments = {"-m", "nightshift.imports", std::to_string(::getpid())};
    options.environment = {{"PYTHONSAFEPATH", "1"}, {ipc::kRunMark, std::string(kMarkBytes, '0')}};
    if (!python.path.empty()) options.environment.emplace_back("PYTHONPATH", python.path);
    options.descriptors = {{listening.get(), kListening}};
    process_ = ipc::ChildProcess::spawn(options);
    ::setenv(kName, name.c_str(), 1);
  } catch (const std::exception&) {
    // Who describes says what is wrong with the interpreter.
  }
}

void PythonImports::start_for(const search::Problem& problem) {
  if (!serves_python(problem)) return;
  const auto& command = std::get<search::CommandBackend>(problem.backend);
  start({command.argv.front(), python_here().path});
}

std::vector<std::pair<std::string, std::string>> PythonImports::mark() {
  if (!ward_ && !pool_runs_) ward_.emplace();
  if (!ward_) return {};
  return {{ipc::kRunMark, ward_->mark()}};
}

void PythonImports::tell(scheduler::ForkedPoolOptions& pool) {
  pool_runs_ = true;
  if (ward_ && ward_->pid() > 0) pool.bystanders.push_back({ward_->pid(), -1, "", false});
  if (process_) pool.bystanders.push_back({process_.pid(), -1, "", false});
}

}  // namespace nightshift::tools
