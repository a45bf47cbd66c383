#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/devices/device.h"
#include "scheduler/evaluation_loop.h"
#include "search/table/table_decision.h"
#include "tools/table/kept/table_store.h"
#include "tools/table/table_batch.h"
#include "tools/table/table_devices.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// How a table is measured.
struct TableMeasuringTerms {
  int blocks = 3;          // of the matrix, of each shape, over all devices
  int pairs = 32;          // of one shape against the default, at most, over all devices
  int hold_out_pairs = 8;  // of each shape in the hold-out
  double margin = 0.01;    // worse by less than this is not worse
  std::uint64_t seed = 1;
  std::optional<scheduler::Clock::TimePoint> end = {};  // nothing is begun later
};

// Measures what a table asks, shape by shape, each as `compare` measures two or more of its problem
// (tools/compare/contest.h). Each machine code is built once, and equal ones are measured once. What
// is in the store is not measured again, and what is measured is in it at once; a candidate that is
// new is measured beside the default alone. A candidate that
// fails on a shape is out of the running there; of a shape whose default fails nothing is measured.
// What a lost node had in hand is measured again on the others, or once it is back.
class TableMeasuring final : public search::TableQuestions {
 public:
  static constexpr const char* kLate = "the budget was used up before all of it was measured";

  // All outlive it. `candidates`: the default first.
  TableMeasuring(const TableBatch& batch, const std::vector<search::Configuration>& candidates,
                 TableStore& store, TableDevices& devices, TableMeasuringTerms terms);

  // False where a signal stopped it. Throws scheduler::DeviceError and StoppedEarly.
  bool measure_matrix();
  const std::vector<search::MatrixColumn>& columns() const { return columns_; }

  // After a signal they answer that it was not reached.
  std::optional<search::Verdict> no_worse(std::size_t shape, std::size_t candidate,
                                          double level) override;
  void begin_hold_out(const std::vector<std::size_t>& rows) override;
  std::optional<std::vector<double>> hold_out(std::size_t shape, std::size_t candidate) override;

  // Why of a shape something was not measured; empty where all that was asked was.
  const std::string& why_unmeasured(std::size_t shape) const { return why_[shape]; }
  bool stopped() const { return stopped_; }
  bool is_late() const;
  const std::vector<std::string>& notices() const { return notices_; }
  const std::vector<scheduler::Device>& devices() const { return devices_; }
  std::size_t evaluations() const { return evaluations_; }
  std::size_t reused() const { return reused_; }  // blocks, trials and hold-outs from the store

 private:
  // Machine code of a shape, by candidate; empty where nothing is built or it was not built yet.
  struct Code {
    std::map<std::size_t, std::string> artifacts;
    std::string reference;
  };
  const std::string& key(std::size_t candidate) const { return keys_[candidate]; }
  std::string name_of(std::size_t candidate) const;
  search::MatrixCell& cell(std::size_t shape, std::size_t candidate) {
    return columns_[shape].cells[candidate];
  }
  void take_stored(std::size_t shape);
  void fail(std::size_t shape, std::size_t candidate, const std::string& reason);
  void drop_shape(std::size_t shape, const std::string& reason);
  void share_code(std::size_t shape);
  std::vector<std::size_t> unbuilt(std::size_t shape,
                                   const std::vector<std::size_t>& candidates) const;
  std::vector<scheduler::Contender> to_build(const std::vector<std::size_t>& candidates) const;
  void build_ahead(std::size_t shape, const std::vector<std::size_t>& candidates);
  bool build(std::size_t shape, const std::vector<std::size_t>& candidates);
  std::vector<scheduler::Contender> contenders(std::size_t shape,
                                               const std::vector<std::size_t>& candidates) const;
  std::vector<std::size_t> running(std::size_t shape) const;
  std::vector<std::size_t> lacking(std::size_t shape) const;
  std::vector<std::size_t> distinct(std::size_t shape, const std::vector<std::size_t>& of);
  bool goes_on_elsewhere(int& losses, const std::string& why) const;
  bool measure_shape(std::size_t shape);
  bool measure_blocks(std::size_t shape, const std::vector<std::size_t>& measured);
  void store_block(std::size_t shape, const std::vector<std::size_t>& measured,
                   const std::vector<double>& effects);
  std::map<std::size_t, double> spread(std::size_t shape, const std::vector<std::size_t>& measured,
                                       const std::vector<double>& effects) const;
  void take_effect(std::size_t shape, std::size_t candidate, double effect);
  struct Asked;
  static void ask_no_worse(const std::string& shape, Asked& asked);
  bool measure_pairs(std::size_t shape, std::size_t candidate, Asked& asked);
  bool ask(std::size_t shape, std::size_t candidate, Asked& asked);
  bool ask_once(std::size_t shape, std::size_t candidate, Asked& asked);

  const TableBatch& batch_;
  const std::vector<search::Configuration>& candidates_;
  TableStore& store_;
  TableDevices& held_;
  TableMeasuringTerms terms_;
  scheduler::SystemClock clock_;
  TemporaryFolder folder_;
  std::vector<std::string> keys_;
  std::vector<search::MatrixColumn> columns_;
  std::vector<Code> codes_;
  Code shared_;                           // of all shapes, where sizes are no part of what is built
  std::vector<std::vector<int>> blocks_;  // of the matrix, by shape, then by candidate
  std::vector<bool> dropped_;
  std::vector<std::string> why_;  // by shape, see why_unmeasured()
  std::string table_;             // hash of the rows that are held out
  std::vector<scheduler::Device> devices_;
  std::vector<std::string> notices_;
  std::size_t evaluations_ = 0, reused_ = 0;
  bool stopped_ = false;
};

}  // namespace nightshift::tools
