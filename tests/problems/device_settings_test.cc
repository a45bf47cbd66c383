#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/problems/cuda_text.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DeviceSettingsTest : public ::testing::Test {
 protected:
  search::DeviceSettings device(const std::string& table,
                                const std::vector<Override>& overrides = {}) {
    return folder_.read(cuda_problem(table), overrides).device;
  }
  CudaFolder folder_;
};

TEST_F(DeviceSettingsTest, AreNoneUnlessTheFileSaysSo) {
  EXPECT_FALSE(device("").any());
  EXPECT_FALSE(device("[device]\nstrict = true\n").any());
}

TEST_F(DeviceSettingsTest, AreReadFromTheFileAndFromOverrides) {
  const search::DeviceSettings read = device(
      "[device]\nclock_mhz = 1500\nmem_clock_mhz = 2619\npower_watts = 350.5\nstrict = true\n");
  EXPECT_EQ(read.clock_mhz, 1500);
  EXPECT_EQ(read.mem_clock_mhz, 2619);
  EXPECT_EQ(read.power_watts, 350.5);
  EXPECT_TRUE(read.strict);
  EXPECT_EQ(device("", {{"device.clock_mhz", "1200"}}).clock_mhz, 1200);
  EXPECT_FALSE(device("[device]\nclock_mhz = 1500\n").strict);
}

TEST_F(DeviceSettingsTest, MistakesAreSaid) {
  EXPECT_THAT(
      folder_.diagnostics(cuda_problem("[device]\nclock_mhz = -1\nstrict = \"yes\"\nclock = 5\n")),
      ElementsAre(HasSubstr("device.clock_mhz must be"),
                  HasSubstr("device.strict must be true or false"),
                  AllOf(HasSubstr("unknown key 'clock'"), HasSubstr("'clock_mhz'"))));
}

TEST_F(DeviceSettingsTest, BelongToWhateverRunsOnGpus) {
  const std::string settings = "[device]\nclock_mhz = 1500\n";
  const search::Problem problem =
      folder_.read(command_problem("argv = ['serve']\ndevice = 'gpu'", settings));
  EXPECT_EQ(problem.device.clock_mhz, 1500);
  const auto refused = ElementsAre(AllOf(HasSubstr("device belongs to problems that run on GPUs"),
                                         HasSubstr("device = 'gpu'"),
                                         HasSubstr("nightshift lock-clocks -- COMMAND")));
  EXPECT_THAT(folder_.diagnostics(host_problem(settings)), refused);
  EXPECT_THAT(folder_.diagnostics(command_problem("argv = ['serve']", settings)), refused);
  EXPECT_THAT(folder_.diagnostics(command_problem("argv = ['serve']\ndevice = 'cpu'", settings)),
              refused);
}

}  // namespace
}  // namespace nightshift::problems
