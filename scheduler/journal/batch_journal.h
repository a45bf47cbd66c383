#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/journal/batch_record.h"

namespace nightshift::scheduler {

// What somebody asked of a batch, whether it runs or not.
struct BatchRequest {
  enum class Kind : std::uint8_t { kAdd, kCancel, kPause, kGoOn } kind = Kind::kAdd;
  std::vector<BatchStudyTerms> studies;  // of kAdd
  std::vector<std::string> names;        // of the others
  double at = 0;
  std::uint64_t number = 0;  // given by the journal
};
constexpr std::array<std::string_view, 4> kBatchRequests{"add", "cancel", "pause", "go on"};

// What a study has of a device.
enum class LeaseKind : std::uint8_t { kNone, kGuest, kOwner };

// The record of a batch as one SQLite file, DIR/batch.sqlite, for whoever looks at it, and the
// letter box for whoever asks something of it. What a study found stands in its own journal, and a
// batch goes on without this one: a call that fails leaves out what it was to write, and the next
// one tries again. All throw JournalError.
class BatchJournal {
 public:
  // Opens the batch in `folder`, or makes one. It is locked until this object ends; where another
  // run has it, that is a JournalError.
  BatchJournal(const std::string& folder, const std::string& name);
  ~BatchJournal();

  void begin_run(double started, std::optional<double> deadline);
  // Of the run, where it is another one by now.
  void deadline(double at);
  void end_run(std::string_view status, std::string_view reason, double ended);
  // All that the batch has now, in order.
  void studies(const std::vector<BatchStudyTerms>& all);
  void state(std::string_view study, BatchStudyState state, std::string_view reason,
             const std::optional<BatchClaim>& claim, double at);
  void progress(std::string_view study, const BatchProgressRow& row);
  void device(const BatchDeviceRecord& device);
  void lease(std::string_view study, std::string_view device, LeaseKind kind, double at);
  void event(const BatchEventRecord& event);
  // Those without an answer, oldest first.
  std::vector<BatchRequest> requests();
  void answer(std::uint64_t request, std::string_view line, double at);
  // Throws where the folder was removed or moved: nobody finds there what is written from now on.
  void expect_in_place();
  // What was written since the last commit is seen by readers, and survives a kill.
  void commit();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  double started_ = 0;  // of the run
  std::optional<double> deadline_;
};

// Asks; returns the request's number. Throws JournalError: no batch there.
std::uint64_t ask(const std::string& folder, const BatchRequest& request);
// What became of it; nullopt: nothing yet.
std::optional<std::string> answer_to(const std::string& folder, std::uint64_t request);

// Reads a batch without changing it, also while it runs. Throws JournalError: no batch there,
// damaged (says what is), or written by a newer version.
BatchRecord load_batch(const std::string& folder);
// A process runs the batch in `folder` now.
bool is_running(const std::string& folder);
// True when `folder` holds a batch.
bool holds_batch(const std::string& folder);

}  // namespace nightshift::scheduler
