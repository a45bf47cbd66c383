#pragma once

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "evaluator/backend.h"
#include "ipc/child_process.h"
#include "ipc/mailbox.h"
#include "ipc/messages.h"
#include "search/problem.h"
#include "tests/fakes/paths.h"

namespace nightshift::evaluator {

// A folder that is there as long as this object is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "nightshift-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string make_folder(const std::string& name) const {
    std::filesystem::create_directories(path_ / name);
    return (path_ / name).string();
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

class FakeProgress final : public ProgressSink {
 public:
  void mark(search::Phase phase) override { phases.push_back(phase); }
  void beat(std::uint64_t) override { ++beats; }

  std::vector<search::Phase> phases;
  std::uint64_t beats = 0;
};

inline std::string evaluator_program() { return testing_paths::program("nightshift-evaluator"); }

inline search::Parameter parameter(const std::string& name, std::vector<search::Value> values) {
  search::Parameter p;
  p.name = name;
  p.type = std::holds_alternative<std::string>(values.front()) ? search::ParameterType::kString
                                                               : search::ParameterType::kInt;
  p.values = std::move(values);
  return p;
}

inline search::Configuration configuration(std::vector<search::Configuration::Entry> entries) {
  return search::Configuration(std::move(entries));
}

// A setting as the parent would send it; folders lie in `folder`.
inline ipc::ConfigureRequest setting_for(search::Problem problem, const TemporaryFolder& folder) {
  ipc::ConfigureRequest request;
  request.problem = std::move(problem);
  request.artifact_folder = folder.make_folder("artifacts");
  request.scratch_folder = folder.make_folder("scratch");
  request.own_program = evaluator_program();
  return request;
}

// The real evaluator program with its parent's side of the mailbox.
class EvaluatorProcess {
 public:
  EvaluatorProcess() : mailbox_(ipc::ParentMailbox::create(kEpoch)) {
    ipc::SpawnOptions options;
    options.program = evaluator_program();
    options.arguments = {
        "--evaluator", std::to_string(::getpid()), std::to_string(kEpoch), "-", "0", "0"};
    options.descriptors = {
        {mailbox_.request_fd(), 3}, {mailbox_.response_fd(), 4}, {mailbox_.doorbell_fd(), 5}};
    // A sanitized build would turn the signals that kernels die of into exit codes, and keep what
    // was freed.
    options.environment = {{"ASAN_OPTIONS", "handle_segv=0:handle_abort=0:quarantine_size_mb=1"},
                           {"TSAN_OPTIONS", "handle_segv=0:handle_abort=0"}};
    child_ = ipc::ChildProcess::spawn(options);
  }

  ipc::ChildProcess& child() { return child_; }
  ipc::Progress progress() const { return mailbox_.progress(); }

  void post(ipc::MessageKind kind, const std::vector<std::byte>& payload) {
    if (!mailbox_.post(static_cast<std::uint32_t>(kind), ++trial_, 1, payload)) {
      throw std::runtime_error("request does not fit");
    }
  }

  // The reply to what was posted; nullopt when the process died without one.
  std::optional<ipc::Record> await() {
    while (true) {
      auto taken = mailbox_.take();
      if (auto* record = std::get_if<ipc::Record>(&taken)) return std::move(*record);
      if (const auto* corrupt = std::get_if<ipc::ParentMailbox::Corrupt>(&taken)) {
        throw std::runtime_error("corrupt reply: " + corrupt->why);
      }
      if (child_.dead()) {
        taken = mailbox_.take();
        if (auto* record = std::get_if<ipc::Record>(&taken)) return std::move(*record);
        return std::nullopt;
      }
      pollfd events[] = {{mailbox_.doorbell_fd(), POLLIN, 0}, {child_.pidfd(), POLLIN, 0}};
      if (::poll(events, 2, 60000) == 0) throw std::runtime_error("no reply within a minute");
    }
  }

  template <class Reply, class Request>
  std::optional<Reply> ask(ipc::MessageKind kind, const Request& request) {
    post(kind, ipc::encode(request));
    const auto record = await();
    if (!record) return std::nullopt;
    return ipc::decode<Reply>(record->payload);
  }

  // Waits for its end.
  ipc::ExitReport end() {
    pollfd death{child_.pidfd(), POLLIN, 0};
    if (::poll(&death, 1, 60000) == 0) throw std::runtime_error("still alive after a minute");
    return *child_.reap();
  }

 private:
  static constexpr std::uint64_t kEpoch = 4711;
  ipc::ParentMailbox mailbox_;
  ipc::ChildProcess child_;
  std::uint64_t trial_ = 0;
};

}  // namespace nightshift::evaluator
