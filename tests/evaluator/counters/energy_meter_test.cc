#include "evaluator/counters/energy_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "evaluator/counters/hardware_counters.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/evaluator/fake_counters.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EnergyMeterTest : public ::testing::Test {
 protected:
  std::filesystem::path powercap() const { return std::filesystem::path(folder_.path()) / "zones"; }
  void zone(const std::string& folder, const std::string& name, std::uint64_t microjoules) const {
    write_zone(powercap(), folder, name, microjoules);
  }
  static std::string refusal(const std::function<void()>& work) {
    try {
      work();
    } catch (const NotMeasurable& why) {
      return why.what();
    }
    return "measured";
  }
  TemporaryFolder folder_;
};

TEST_F(EnergyMeterTest, PackagesAddUpAndTheirPartsDoNotCountTwice) {
  zone("intel-rapl:0", "package-0", 1000);
  zone("intel-rapl:1", "package-1", 500);
  zone("intel-rapl:0:0", "core", 400);
  zone("intel-rapl:2", "psys", 9000);
  zone("intel-rapl-mmio:0", "package-0", 1000);
  zone("dtpm", "package-0", 7);
  const EnergyMeter meter(powercap());
  const auto before = meter.read();
  EXPECT_THAT(before, ElementsAre(1000, 500));
  zone("intel-rapl:0", "package-0", 31000);
  zone("intel-rapl:1", "package-1", 10500);
  zone("intel-rapl:2", "psys", 99000);
  EXPECT_DOUBLE_EQ(meter.joules(before, meter.read()), 0.04);
}

TEST_F(EnergyMeterTest, AZoneMayBeginAnew) {
  zone("intel-rapl:0", "package-0", 999'000);
  const EnergyMeter meter(powercap());
  const auto before = meter.read();
  zone("intel-rapl:0", "package-0", 4'000);
  EXPECT_DOUBLE_EQ(meter.joules(before, meter.read()), 0.005) << "it tells 1000000 uJ at most";
}

TEST_F(EnergyMeterTest, WhatDidNotMoveIsNoFigure) {
  zone("intel-rapl:0", "package-0", 10);
  const EnergyMeter meter(powercap());
  EXPECT_THAT(refusal([&] { meter.joules(meter.read(), meter.read()); }),
              HasSubstr("once in a millisecond"));
}

TEST_F(EnergyMeterTest, AMachineWithoutZonesIsToldSo) {
  EXPECT_THAT(refusal([&] { EnergyMeter{powercap()}; }),
              AllOf(HasSubstr("no package with RAPL in " + powercap().string()),
                    HasSubstr("virtual machines")));
  zone("intel-rapl:0:0", "core", 1);
  EXPECT_THAT(refusal([&] { EnergyMeter{powercap()}; }), HasSubstr("no package with RAPL"));
}

TEST_F(EnergyMeterTest, AZoneThatCannotBeReadIsNamed) {
  zone("intel-rapl:0", "package-0", 1);
  const auto counter = powercap() / "intel-rapl:0" / "energy_uj";
  std::filesystem::remove(counter);
  EXPECT_THAT(refusal([&] { EnergyMeter{powercap()}; }), HasSubstr(counter.string()));
}

}  // namespace
}  // namespace nightshift::evaluator
