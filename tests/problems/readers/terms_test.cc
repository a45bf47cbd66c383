#include "problems/readers/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kProblem = R"toml(
name = "p"
[command]
argv = ["sh", "work.sh", "{A}"]
[[command.figure]]
source = "regex"
key = "time ([0-9]+)"
[parameters]
A = [1, 2]
[[objective]]
name = "time"
[budget]
trials = 5
)toml";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kProblem;
  return text.replace(text.find(from), from.size(), to);
}

std::vector<std::string> changes(const std::string& now, std::vector<Override> overrides = {}) {
  return changed_terms({kProblem, {}}, {now, std::move(overrides)});
}

TEST(Terms, AreNamedByTheirKeysWithWhatTheyWere) {
  EXPECT_THAT(changes(kProblem), IsEmpty());
  EXPECT_THAT(
      changes(with("work.sh", "other.sh")),
      ElementsAre(
          "command.argv was [ 'sh', 'work.sh', '{A}' ] and is [ 'sh', 'other.sh', '{A}' ]"));
  EXPECT_THAT(changes(with("time (", "cost (")),
              ElementsAre("command.figure.0.key was 'time ([0-9]+)' and is 'cost ([0-9]+)'"));
  EXPECT_THAT(changes(with("name = \"time\"", "name = \"time\"\ndirection = \"maximise\"")),
              ElementsAre("the problem now has objective.0.direction = 'maximise'"));
  EXPECT_THAT(changes(with("source = \"regex\"\n", "")),
              ElementsAre("the problem had command.figure.0.source = 'regex'"));
}

TEST(Terms, AreNotWhatIsSearchedAndForHowLong) {
  EXPECT_THAT(changes(with("[1, 2]", "[1, 2, 3]")), IsEmpty());
  EXPECT_THAT(changes(with("trials = 5", "seconds = 7")), IsEmpty());
  EXPECT_THAT(changes(with("name = \"p\"", "# another comment\nname = \"q\"")), IsEmpty());
}

TEST(Terms, HaveWhatIsSetFromOutside) {
  EXPECT_THAT(changes(kProblem, {{"command.runs", "3"}, {"search.seed", "4"}}),
              ElementsAre("the problem now has command.runs = 3"));
}

TEST(Terms, OfJsonAreNamedByTheirPaths) {
  EXPECT_THAT(
      changed_terms({R"({"General": {"Size": 1}})", {}}, {R"({"General": {"Size": 2}})", {}}),
      ElementsAre("/General/Size was 1 and is 2"));
  EXPECT_THAT(changed_terms({"= no TOML", {}}, {kProblem, {}}), IsEmpty());
}

}  // namespace
}  // namespace nightshift::problems
