#include "evaluator/counters/energy_meter.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "evaluator/counters/hardware_counters.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFigure = "'energy' cannot be measured on this machine: ";

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::uint64_t number = 0;
  std::ifstream stream(file);
  return stream >> number ? std::optional(number) : std::nullopt;
}

std::string first_line(const fs::path& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}

// "intel-rapl:0", of AMD as well. Zones inside a package ("intel-rapl:0:0") are parts of it.
bool is_whole_zone(const std::string& name) {
  constexpr std::string_view kPrefix = "intel-rapl:";
  return name.starts_with(kPrefix) && name.find(':', kPrefix.size()) == std::string::npos;
}

// "psys", the platform, has the packages in it.
bool is_package(const fs::path& zone) { return first_line(zone / "name").starts_with("package"); }

std::uint64_t counted(const fs::path& counter) {
  errno = 0;
  if (const auto value = number_in(counter)) return *value;
  const int error = errno;
  const bool forbidden = error == EACCES || error == EPERM;
  throw NotMeasurable(kFigure + counter.string() + " cannot be read (" +
                      std::strerror(error != 0 ? error : EIO) + ")" +
                      (forbidden ? "; as a rule root alone may: run as root, or let root do `chmod "
                                   "a+r " +
                                       counter.string() + "`"
                                 : ""));
}

}  // namespace

EnergyMeter::EnergyMeter(const fs::path& powercap) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(powercap, error)) {
    if (!is_whole_zone(entry.path().filename().string()) || !is_package(entry.path())) continue;
    zones_.push_back(
        {entry.path() / "energy_uj", number_in(entry.path() / "max_energy_range_uj").value_or(0)});
  }
  if (zones_.empty()) {
    throw NotMeasurable(kFigure + std::string("there is no package with RAPL in ") +
                        powercap.string() +
                        " (intel-rapl:0); virtual machines have none, and other kernels need the "
                        "module intel_rapl_msr");
  }
  std::ranges::sort(zones_, {}, &Zone::counter);
  read();
}

EnergyMeter::Reading EnergyMeter::read() const {
  Reading reading;
  for (const Zone& zone : zones_) reading.push_back(counted(zone.counter));
  return reading;
}

double EnergyMeter::joules(const Reading& from, const Reading& to) const {
  constexpr double kJoulesPerMicrojoule = 1e-6;
  double microjoules = 0;
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    const std::uint64_t begun_anew = to[i] < from[i] ? zones_[i].range : 0;
    microjoules += static_cast<double>(to[i] + begun_anew - from[i]);
  }
  if (microjoules > 0) return microjoules * kJoulesPerMicrojoule;
  throw NotMeasurable(
      "'energy' did not move: the processor tells it about once in a millisecond, and this took "
      "less; let it repeat the work");
}

}  // namespace nightshift::evaluator
