#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace nightshift::evaluator {

// Where the kernel tells of energy.
inline constexpr const char* kPowercapFolder = "/sys/class/powercap";

// The energy that the processor's packages have taken, by the kernel's RAPL zones: all cores, and
// whoever works there. They are told anew about once in a millisecond.
class EnergyMeter {
 public:
  // Throws NotMeasurable where there is no zone, or where one may not be read.
  explicit EnergyMeter(const std::filesystem::path& powercap);

  using Reading = std::vector<std::uint64_t>;  // of each zone, in uJ
  Reading read() const;                        // throws NotMeasurable
  // Between two readings, of which each zone may have begun anew at 0 once. Throws NotMeasurable
  // where nothing has moved: that was too short.
  double joules(const Reading& from, const Reading& to) const;

 private:
  struct Zone {
    std::filesystem::path counter;
    std::uint64_t range = 0;  // the largest that it tells before it begins anew
  };
  std::vector<Zone> zones_;
};

}  // namespace nightshift::evaluator
