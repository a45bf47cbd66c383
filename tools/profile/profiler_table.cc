#include "tools/profile/profiler_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "search/time_unit.h"

namespace nightshift::tools {
namespace {

using Cells = std::vector<std::string>;

constexpr std::string_view kStallBegin = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallEnd = "_per_issue_active.ratio";
constexpr std::size_t kMostRows = 100'000;

// Cells between quotes, separated by commas; a quote inside is two. Empty: it is no such line.
Cells cells_of(std::string_view line) {
  Cells cells;
  while (true) {
    if (line.empty() || line.front() != '"') return {};
    std::string cell;
    std::size_t at = 1;
    for (;; ++at) {
      if (at >= line.size()) return {};
      if (line[at] != '"') {
        cell += line[at];
      } else if (at + 1 < line.size() && line[at + 1] == '"') {
        cell += line[at++];
      } else {
        break;
      }
    }
    cells.push_back(std::move(cell));
    line.remove_prefix(at + 1);
    if (line.empty()) return cells;
    if (line.front() != ',') return {};
    line.remove_prefix(1);
  }
}

// Thousands may be separated by commas.
std::optional<double> number_of(std::string cell) {
  std::erase(cell, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = error == std::errc() && end == cell.data() + cell.size();
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

double seconds_per(const std::string& unit) { return 1 / search::per_second(unit).value_or(1); }

class PrintedTable {
 public:
  PrintedTable(Cells heading, Cells units) : units_(std::move(units)) {
    for (std::size_t i = 0; i < heading.size(); ++i) columns_.try_emplace(heading[i], i);
    width_ = heading.size();
  }

  bool has(const Cells& row) const { return row.size() == width_; }

  LaunchCounters read(const Cells& row) const {
    LaunchCounters launch;
    if (const auto it = columns_.find("Kernel Name"); it != columns_.end()) {
      launch.kernel = row[it->second];
    }
    launch.seconds = value(row, "gpu__time_duration.sum");
    if (launch.seconds) *launch.seconds *= seconds_per(unit("gpu__time_duration.sum"));
    launch.dram = any(row, {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                            "dram__throughput.avg.pct_of_peak_sustained_elapsed"});
    launch.l2 = value(row, "lts__throughput.avg.pct_of_peak_sustained_elapsed");
    launch.compute = value(row, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
    launch.occupancy = value(row, "sm__warps_active.avg.pct_of_peak_sustained_active");
    launch.warps = warps(row);
    return launch;
  }

 private:
  std::string unit(const std::string& column) const {
    const auto it = columns_.find(column);
    return it == columns_.end() || it->second >= units_.size() ? "" : units_[it->second];
  }
  std::optional<double> value(const Cells& row, const std::string& column) const {
    const auto it = columns_.find(column);
    return it == columns_.end() ? std::nullopt : number_of(row[it->second]);
  }
  std::optional<double> any(const Cells& row, std::initializer_list<const char*> columns) const {
    for (const char* column : columns) {
      if (const auto found = value(row, column)) return found;
    }
    return std::nullopt;
  }
  std::vector<std::pair<std::string, double>> warps(const Cells& row) const {
    std::vector<std::pair<std::string, double>> result;
    for (const auto& [column, at] : columns_) {
      const bool is_one = column.size() > kStallBegin.size() + kStallEnd.size() &&
                          column.starts_with(kStallBegin) && column.ends_with(kStallEnd);
      if (!is_one) continue;
      const std::optional<double> ratio = number_of(row[at]);
      if (!ratio || *ratio == 0) continue;
      const std::size_t length = column.size() - kStallBegin.size() - kStallEnd.size();
      result.emplace_back(column.substr(kStallBegin.size(), length), *ratio);
    }
    const double sum = std::accumulate(result.begin(), result.end(), 0.0,
                                       [](double s, const auto& one) { return s + one.second; });
    for (auto& one : result) one.second /= sum;
    std::ranges::stable_sort(result, std::greater(), [](const auto& one) { return one.second; });
    return result;
  }

  std::map<std::string, std::size_t> columns_;
  Cells units_;
  std::size_t width_ = 0;
};

}  // namespace

std::vector<LaunchCounters> read_profiler_table(std::string_view text) {
  std::vector<LaunchCounters> launches;
  std::optional<Cells> heading;
  std::optional<PrintedTable> table;
  while (!text.empty() && launches.size() < kMostRows) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    Cells cells = cells_of(line);
    if (cells.empty()) continue;
    if (!heading) {
      heading = std::move(cells);
    } else if (!table) {
      table.emplace(*heading, std::move(cells));
    } else if (table->has(cells)) {
      launches.push_back(table->read(cells));
    }
  }
  return launches;
}

std::string words_of_stall(const std::string& reason) {
  using Row = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Row, 18> kWords = {{
      {"long_scoreboard", "data of global or local memory"},
      {"short_scoreboard", "data of shared memory or of a special unit"},
      {"barrier", "other warps at a barrier"},
      {"membar", "a memory fence"},
      {"math_pipe_throttle", "an arithmetic unit that is busy"},
      {"mio_throttle", "the queue to shared memory and special units"},
      {"lg_throttle", "the queue to global and local memory"},
      {"tex_throttle", "the queue to the texture unit"},
      {"wait", "an instruction of fixed length"},
      {"no_instruction", "its instructions"},
      {"no_instructions", "its instructions"},
      {"not_selected", "another warp that was chosen"},
      {"dispatch_stall", "the dispatcher"},
      {"drain", "its last stores"},
      {"branch_resolving", "a branch"},
      {"sleeping", "the end of its sleep"},
      {"imc_miss", "constants"},
      {"gmma", "tensor products"},
  }};
  const auto it = std::ranges::find(kWords, std::string_view(reason), &Row::first);
  return it == kWords.end() ? reason : std::string(it->second);
}

}  // namespace nightshift::tools
