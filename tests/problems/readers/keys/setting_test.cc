#include "problems/readers/keys/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Oven {
  int degrees = 180;
  double minutes = 0.00005;
  bool fan = false;
  std::uint64_t crumbs = 3 << 20;
  std::string dish = "pie";
  std::vector<std::string> guests;
  int candles = 0;
};

Settings<Oven> oven() {
  return {"oven",
          "how it is baked",
          {setting("degrees", &Oven::degrees, Integer{0, 300}, "heat"),
           setting("minutes", &Oven::minutes, Duration{}, "time").absent(" or less"),
           setting("air", &Oven::fan, Words<bool>{{{"still", false}, {"moved", true}}}, "fan"),
           setting("crumbs", &Oven::crumbs, Bytes{}, "size"),
           setting("dish", &Oven::dish, Choice{{"pie", "bread"}}, "what"),
           setting("guests", &Oven::guests, Texts{}, "who").unsaid(),
           setting("candles", &Oven::candles, OrZero<Integer>{{0, 99}, 2, "dark"}, "light"),
           elsewhere<Oven>({"owner", Text{}, "\"me\"", "whose"})}};
}

class OvenFile {
 public:
  explicit OvenFile(const std::string& text) : table_(toml::parse(text)) {}
  std::set<std::string_view> read(Oven& into) {
    TableReader reader(table_, *settings_.table(), "oven", diagnostics_);
    auto said = settings_.read(reader, into);
    reader.finish();
    return said;
  }
  std::vector<std::string> mistakes() const {
    std::vector<std::string> texts;
    for (const Diagnostic& mistake : diagnostics_.sorted()) texts.push_back(mistake.message);
    return texts;
  }

 private:
  Settings<Oven> settings_ = oven();
  toml::table table_;
  Diagnostics diagnostics_{"oven.toml"};
};

std::vector<std::string> fallbacks() {
  std::vector<std::string> texts;
  for (const ProblemKey& key : oven().table()->keys) texts.push_back(key.fallback);
  return texts;
}

TEST(Setting, DefaultsAreThoseOfTheStruct) {
  EXPECT_THAT(fallbacks(),
              ElementsAre("180", "", "\"still\"", "\"3MiB\"", "\"pie\"", "", "0", "\"me\""));
  EXPECT_EQ(oven().table()->keys[1].meaning, "time; absent: 5e-5 or less");
}

TEST(Setting, WhatIsSaidIsReadIntoItsMember) {
  OvenFile file(
      "degrees = 220\nminutes = '2m'\nair = 'moved'\ncrumbs = '1KiB'\ndish = 'bread'\n"
      "guests = ['a', 'b']\ncandles = 2\nowner = 'you'\n");
  Oven into;
  EXPECT_THAT(file.read(into), ElementsAre("air", "candles", "crumbs", "degrees", "dish", "guests",
                                           "minutes", "owner"));
  EXPECT_THAT(file.mistakes(), IsEmpty());
  EXPECT_EQ(into.degrees, 220);
  EXPECT_EQ(into.minutes, 120);
  EXPECT_TRUE(into.fan);
  EXPECT_EQ(into.crumbs, 1024U);
  EXPECT_EQ(into.dish, "bread");
  EXPECT_THAT(into.guests, ElementsAre("a", "b"));
  EXPECT_EQ(into.candles, 2);
}

TEST(Setting, WhatIsWrongLeavesItsMemberAndIsNotSaid) {
  OvenFile file("degrees = 900\nair = 'hot'\ndish = 'bred'\ncandles = 1\nguest = []\n");
  Oven into;
  EXPECT_THAT(file.read(into), ElementsAre("candles"));
  EXPECT_EQ(into.degrees, 180);
  EXPECT_EQ(into.dish, "pie");
  EXPECT_THAT(file.mistakes(),
              ElementsAre("oven.degrees must be an integer from 0 to 300, not the integer 900",
                          HasSubstr("oven.air must be 'still' or 'moved', not the text 'hot'"),
                          HasSubstr("must be 'pie' or 'bread', not 'bred'; did you mean 'bread'?"),
                          "oven.candles must be 0 (dark) or at least 2",
                          HasSubstr("unknown key 'guest' in [oven]; did you mean 'guests'?")));
}

}  // namespace
}  // namespace nightshift::problems
