#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/statistics/interval.h"

namespace nightshift::tools {

// What a table has measured so far, so that a kill loses no block and a table that grows measures
// nothing twice: BATCH/table/measured.jsonl, a JSON object a line, appended by one write each.
// Configurations are named by their JSON, shapes by "M=1 N=4096".

// One line.
struct StoredMeasurement {
  enum class Kind : std::uint8_t {
    kBlock,    // of the matrix
    kTrial,    // whether a choice is no worse than the default
    kHoldOut,  // its pairs in the hold-out of a table
  } kind = Kind::kBlock;
  std::string of;  // hash of what figures depend on; lines of another one do not count
  std::string shape;
  // Of a block: ln(candidate / default) of what was measured, the machine code of all, and what
  // failed, with its reason.
  std::map<std::string, double> effects;
  std::map<std::string, std::string> artifacts, failed;
  // Of the others.
  std::string configuration;
  std::vector<int> counts;    // of a trial: pairs of each device, in order
  std::string table;          // of a hold-out: hash of all rows of the table that it is of
  std::vector<double> pairs;  // ln(default / candidate)
  double level = 0;           // of a trial
  double margin = 0;          // likewise
  bool accepted = false;
  double ratio = 1, p_value = 1;
  search::Interval interval{1, 1};
  std::string reason;
};

std::string line_of(const StoredMeasurement& measurement);  // without its end
// nullopt where the text is no such line; figures that are not finite are none.
std::optional<StoredMeasurement> stored_measurement(std::string_view line);

class TableStore {
 public:
  // What figures of a shape depend on, as StoredMeasurement::of.
  using Of = std::function<std::string(const std::string& shape)>;
  // Reads what `path` has that still counts; a file that is not there has nothing. `earlier`: what
  // another version wrote for the same. Throws UsageError where it cannot be read.
  TableStore(std::string path, Of of, const Of& earlier = {});

  std::vector<StoredMeasurement> blocks_of(const std::string& shape) const;
  // The newest of that shape and configuration; nullptr where there is none.
  const StoredMeasurement* trial(const std::string& shape, const std::string& configuration) const;
  const StoredMeasurement* hold_out(const std::string& table, const std::string& shape,
                                    const std::string& configuration) const;
  // Throws UsageError where no file can be there, OutputError where it cannot be written.
  void add(StoredMeasurement measurement);
  std::size_t size() const { return all_.size(); }

 private:
  std::string path_;
  Of of_;
  std::vector<StoredMeasurement> all_;
};

}  // namespace nightshift::tools
