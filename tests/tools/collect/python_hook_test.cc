#include "tools/collect/python_hook.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file_text.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {
namespace {

TEST(PythonHook, AnInterpreterThatIsKilledIsStartedAgain) {
  const TemporaryFolder folder;
  const std::string calls = folder.path() + "/calls";
  const auto ends = [&](int kills, const std::string& how) {
    std::filesystem::remove(calls);
    return module_code({"sh", "-c",
                        "echo call >> " + calls + "; [ $(wc -l < " + calls + ") -gt " +
                            std::to_string(kills) + " ] || " + how + "; exit 5"});
  };
  const auto started = [&] { return base::read_whole_file(calls).size() / 5; };
  EXPECT_EQ(ends(1, "kill -9 $$"), 5);
  EXPECT_EQ(started(), 2U);
  EXPECT_EQ(ends(9, "kill -9 $$"), 128 + 9);
  EXPECT_EQ(started(), 3U);
  EXPECT_EQ(ends(9, "kill -11 $$"), 128 + 11) << "that is its own fault";
  EXPECT_EQ(started(), 1U);
}

}  // namespace
}  // namespace nightshift::tools
