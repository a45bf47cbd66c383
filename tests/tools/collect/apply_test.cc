#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "tests/problems/scratch_folder.h"
#include "tools/collect/python_hook.h"
#include "tools/command_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Apply, ABatchThatIsNotThereIsNamedInBothPlaces) {
  const auto result = parse_command_line({"apply", "no-such-batch", "--", "true"});
  const Invocation* invocation = std::get_if<Invocation>(&result);
  ASSERT_NE(invocation, nullptr);
  try {
    (*invocation)();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("neither no-such-batch nor batches/no-such-batch"),
                                    HasSubstr("`nightshift batch run`")));
  }
}

TEST(Apply, TakesABatchWithoutACommand) {
  EXPECT_TRUE(std::holds_alternative<Invocation>(parse_command_line({"apply", "night"})));
  EXPECT_FALSE(std::holds_alternative<Invocation>(parse_command_line({"apply"})));
}

TEST(TunedFile, IsTheFileItselfOrThatOfItsFolder) {
  const problems::ScratchFolder folder;
  const std::string file = folder.write("tuned.json", "{}");
  EXPECT_EQ(tuned_file(file), file);
  EXPECT_EQ(tuned_file(std::filesystem::path(file).parent_path().string()), file);
  EXPECT_THROW(tuned_file(file + ".no"), UsageError);
}

TEST(Hook, ComesBeforeTheProgramsOwnPath) {
  ::setenv("PYTHONPATH", "/mine", 1);
  const Variables found = with_hook({{"A", "b"}});
  ::unsetenv("PYTHONPATH");
  EXPECT_THAT(found, ElementsAre(Pair("A", "b"),
                                 Pair("PYTHONPATH", HasSubstr("/nightshift/capture/hook:/mine"))));
  EXPECT_THAT(with_hook({}).back().second, ::testing::EndsWith("/nightshift/capture/hook"));
}

}  // namespace
}  // namespace nightshift::tools
