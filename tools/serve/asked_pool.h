#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "evaluator/told_answers.h"
#include "ipc/poller.h"
#include "scheduler/clock.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"
#include "tools/serve/line_channels.h"

namespace nightshift::tools {

// Evaluations that somebody makes elsewhere, over lines on standard input and output
// (docs/search.md):
//
//   > {"id": 7, "configuration": {"TILE": 16}}       at most one open for each place
//   < {"id": 7, "time": 1.25}                        figures by objective: a number, a text with its
//                                                    unit, or a list
//   < {"id": 7, "error": "words", "kind": "build_failed"}
//   > {"error": "words"}                             a line is no answer: what it was for stays open
//
// Answers come in any order, and as late as the budget of time allows: with its end, and a grace
// (scheduler/trials/patience.h), what is open is given up. Where nothing has come for long, one line
// of standard error names what is waited for. The baseline is a configuration like others. Where
// standard input ends the study is interrupted, and what was open counts as not begun; a stop
// signal asks for a good end, a second one for the end.
class AskedPool final : public scheduler::WorkerPool {
 public:
  // Throws std::system_error, std::runtime_error as ToldAnswers.
  AskedPool(const search::Problem& problem, std::size_t places, LineChannels& lines,
            const scheduler::Clock& clock);

  const std::vector<scheduler::Device>& devices() const override { return devices_; }
  bool can_measure(scheduler::DeviceIndex device) const override { return !busy_[device]; }
  bool can_build() const override { return false; }
  int builder_count() const override { return 0; }
  void start(const scheduler::Job& job) override;
  void retire(scheduler::DeviceIndex device, const std::string& reason) override;
  scheduler::PoolEvent wait(std::optional<scheduler::Clock::TimePoint> deadline) override;

 private:
  using TimePoint = scheduler::Clock::TimePoint;
  struct Asked {
    scheduler::Job job;
    TimePoint since, until;
  };

  void take(const std::string& line);
  // When somebody has to be told of, or given up, without a line.
  TimePoint next_end() const;
  TimePoint next_remark() const;
  void give_up();
  void remark();
  void end(std::uint64_t id, scheduler::JobEnded done);
  void end_all();
  void complain(const std::string& words);

  const search::Problem& problem_;
  const scheduler::Clock& clock_;
  evaluator::ToldAnswers answers_;
  LineChannels& lines_;
  std::vector<scheduler::Device> devices_;
  std::vector<bool> busy_;  // or retired
  std::map<std::uint64_t, Asked> open_;
  TimePoint heard_;                           // or asked, or remarked, last
  std::chrono::duration<double> slowest_{0};  // answer
  std::uint64_t last_ = 0;
  bool has_ended_ = false;
  bool never_waits_ = false;
  int stops_ = 0;  // signals
  ipc::Poller poller_;
  std::deque<scheduler::PoolEvent> events_;
};

}  // namespace nightshift::tools
