#include "tools/table/kept/table_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file_text.h"
#include "base/json_members.h"
#include "tools/output_file.h"
#include "tools/summary/json_number.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;
using Kind = StoredMeasurement::Kind;

constexpr std::array<std::string_view, 3> kKinds{"block", "trial", "hold-out"};
constexpr std::size_t kMostLine = std::size_t{16} << 20;

constexpr auto kMembers = base::json_members(
    base::member("of", &StoredMeasurement::of), base::member("shape", &StoredMeasurement::shape),
    base::member("effects", &StoredMeasurement::effects).or_default(),
    base::member("artifacts", &StoredMeasurement::artifacts).or_default(),
    base::member("failed", &StoredMeasurement::failed).or_default(),
    base::member("configuration", &StoredMeasurement::configuration).or_default(),
    base::member("counts", &StoredMeasurement::counts).or_default(),
    base::member("table", &StoredMeasurement::table).or_default(),
    base::member("pairs", &StoredMeasurement::pairs).or_default(),
    base::member("level", &StoredMeasurement::level).or_default(),
    base::member("margin", &StoredMeasurement::margin).or_default(),
    base::member("accepted", &StoredMeasurement::accepted).or_default(),
    base::member("ratio", &StoredMeasurement::ratio).or_default(),
    base::member("p_value", &StoredMeasurement::p_value).or_default(),
    base::member("reason", &StoredMeasurement::reason).or_default());

bool is_finite(const StoredMeasurement& m) {
  bool finite = std::isfinite(m.level) && std::isfinite(m.margin) && std::isfinite(m.ratio) &&
                std::isfinite(m.p_value);
  for (const auto& [name, effect] : m.effects) finite = finite && std::isfinite(effect);
  for (const double effect : m.pairs) finite = finite && std::isfinite(effect);
  return finite;
}

double or_infinite(const Json& end, double otherwise) {
  return end.is_number() ? end.get<double>() : otherwise;
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw OutputError(path + " could not be written: " + std::strerror(error) +
                    "; the same command goes on with what it has");
}

}  // namespace

std::string line_of(const StoredMeasurement& m) {
  Json json = {{"is", kKinds[static_cast<std::size_t>(m.kind)]}};
  json.update(base::json_of(m, kMembers));
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  json["interval"] = Json::array({end(m.interval.low), end(m.interval.high)});
  json["confidence"] = m.interval.confidence;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<StoredMeasurement> stored_measurement(std::string_view line) {
  if (line.size() > kMostLine) return std::nullopt;
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("is")) return std::nullopt;
  StoredMeasurement m;
  try {
    std::size_t kind = 0;
    while (kind < kKinds.size() && json["is"] != kKinds[kind]) ++kind;
    if (kind == kKinds.size()) return std::nullopt;
    m.kind = static_cast<Kind>(kind);
    base::read_members(json, kMembers, m);
    const auto interval = json.find("interval");
    if (interval != json.end() && interval->is_array() && interval->size() == 2) {
      m.interval = {or_infinite((*interval)[0], 0),
                    or_infinite((*interval)[1], search::kUnbounded.high), confidence_in(json)};
    }
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  if (!is_finite(m)) return std::nullopt;
  return m;
}

TableStore::TableStore(std::string path, Of of, const Of& earlier)
    : path_(std::move(path)), of_(std::move(of)) {
  const std::string text = base::text_if_there(path_);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // a line that was cut off
    auto found = stored_measurement(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (!found) continue;
    const bool counts =
        found->of == of_(found->shape) || (earlier && found->of == earlier(found->shape));
    if (counts) all_.push_back(std::move(*found));
  }
}

std::vector<StoredMeasurement> TableStore::blocks_of(const std::string& shape) const {
  std::vector<StoredMeasurement> blocks;
  for (const StoredMeasurement& m : all_) {
    if (m.kind == Kind::kBlock && m.shape == shape) blocks.push_back(m);
  }
  return blocks;
}

const StoredMeasurement* TableStore::trial(const std::string& shape,
                                           const std::string& configuration) const {
  const StoredMeasurement* newest = nullptr;
  for (const StoredMeasurement& m : all_) {
    if (m.kind == Kind::kTrial && m.shape == shape && m.configuration == configuration) {
      newest = &m;
    }
  }
  return newest;
}

const StoredMeasurement* TableStore::hold_out(const std::string& table, const std::string& shape,
                                              const std::string& configuration) const {
  for (const StoredMeasurement& m : all_) {
    if (m.kind == Kind::kHoldOut && m.table == table && m.shape == shape &&
        m.configuration == configuration) {
      return &m;
    }
  }
  return nullptr;
}

void TableStore::add(StoredMeasurement measurement) {
  check_output(path_);
  measurement.of = of_(measurement.shape);
  const int file = open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path_, errno);
  std::string line = line_of(measurement) + "\n";
  // A line that a kill cut off ends here.
  char last = '\n';
  const off_t size = lseek(file, 0, SEEK_END);
  if (size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n') line.insert(0, "\n");
  const ssize_t written = write(file, line.data(), line.size());
  const int error = written < 0 ? errno : ENOSPC;
  close(file);
  if (written != static_cast<ssize_t>(line.size())) fail(path_, error);
  all_.push_back(std::move(measurement));
}

}  // namespace nightshift::tools
