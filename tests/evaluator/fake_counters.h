#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file_text.h"
#include "evaluator/counters/hardware_counters.h"

namespace nightshift::evaluator {

// Counters that move by what the script says from one reading to the next.
class FakeCounters final : public CounterDoor {
 public:
  struct Script {
    std::uint64_t counted = 0;
    std::uint64_t enabled = 1'000'000, running = 1'000'000;  // ns
  };

  explicit FakeCounters(std::map<search::OwnFigure, Script> scripts)
      : scripts_(std::move(scripts)) {}

  std::unique_ptr<Counter> open(search::OwnFigure figure, CountedFrom from) override {
    const auto script = scripts_.find(figure);
    if (script == scripts_.end()) {
      throw NotMeasurable("no '" + std::string(search::rule_of(figure).name) + "' here");
    }
    opened.emplace_back(figure, from);
    return std::make_unique<Scripted>(script->second);
  }

  std::vector<std::pair<search::OwnFigure, CountedFrom>> opened;

 private:
  class Scripted final : public Counter {
   public:
    explicit Scripted(const Script& script) : script_(script) {}
    CounterReading read() const override {
      ++readings_;
      return {readings_ * script_.counted, readings_ * script_.enabled,
              readings_ * script_.running};
    }

   private:
    Script script_;
    mutable std::uint64_t readings_ = 0;
  };

  std::map<search::OwnFigure, Script> scripts_;
};

// A zone of /sys/class/powercap, or of one that a test has.
inline std::filesystem::path write_zone(const std::filesystem::path& powercap,
                                        const std::string& zone, const std::string& name,
                                        std::uint64_t microjoules) {
  const std::filesystem::path folder = powercap / zone;
  std::filesystem::create_directories(folder);
  base::write_whole_file((folder / "name").string(), name + "\n");
  base::write_whole_file((folder / "energy_uj").string(), std::to_string(microjoules) + "\n");
  base::write_whole_file((folder / "max_energy_range_uj").string(), "1000000\n");
  return folder / "energy_uj";
}

}  // namespace nightshift::evaluator
