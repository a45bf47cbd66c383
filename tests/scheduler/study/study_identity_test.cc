#include "scheduler/study/study_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using Kind = search::IdentityPart::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Device device(const std::string& uuid, search::Identity made_of) {
  Device device;
  device.node = "node";
  device.uuid = uuid;
  device.name = "Large";
  device.made_of = std::move(made_of);
  return device;
}

search::Identity parts(const std::vector<StudyIdentity::News>& news) {
  search::Identity parts;
  for (const StudyIdentity::News& one : news) parts.push_back(one.part);
  return parts;
}

TEST(StudyIdentity, EachPartIsNewsOnce) {
  StudyIdentity identity;
  const search::IdentityPart driver = {Kind::kDriver, "node", "550"};
  const Device first = device("a", {driver}), second = device("b", {driver});
  EXPECT_THAT(parts(identity.take(0, first)),
              ElementsAre(driver, search::IdentityPart{Kind::kDevice, "node/a", first.kind()}));
  EXPECT_THAT(identity.take(0, first), IsEmpty());
  EXPECT_THAT(parts(identity.take(1, second)),
              ElementsAre(search::IdentityPart{Kind::kDevice, "node/b", second.kind()}));
}

TEST(StudyIdentity, WhatAJournalHasIsNoNews) {
  const Device known = device("a", {{Kind::kDriver, "node", "550"}});
  StudyIdentity identity({{Kind::kDriver, "node", "550"}, {Kind::kDevice, "node/a", known.kind()}});
  EXPECT_THAT(identity.take(0, known), IsEmpty());
}

TEST(StudyIdentity, AnotherDriverThanBeforeIsToldOnceWithItsChange) {
  StudyIdentity identity({{Kind::kDriver, "node", "550"}});
  const auto news = identity.take(0, device("a", {{Kind::kDriver, "node", "560"}}));
  ASSERT_EQ(news.size(), 2U);
  EXPECT_EQ(news[0].part, (search::IdentityPart{Kind::kDriver, "node", "560"}));
  EXPECT_THAT(
      news[0].changes,
      ElementsAre("since the study was measured, the GPU driver of node was 550 and is 560: "
                  "figures from before stand beside those from after"));
  EXPECT_THAT(news[1].changes, IsEmpty()) << "a device that is there for the first time";
  EXPECT_THAT(parts(identity.take(1, device("b", {{Kind::kDriver, "node", "560"}}))),
              ElementsAre(::testing::Field(&search::IdentityPart::name, "node/b")));
}

TEST(StudyIdentity, WhatShouldNotChangeFiguresIsKeptInSilence) {
  StudyIdentity identity({{Kind::kSystem, "node", "6.1"}});
  const auto news = identity.take(0, device("a", {{Kind::kSystem, "node", "6.2"}}));
  ASSERT_EQ(news.size(), 2U);
  EXPECT_EQ(news[0].part.value, "6.2");
  EXPECT_THAT(news[0].changes, IsEmpty());
}

TEST(StudyIdentity, WhatIsNotKnownOfADeviceIsNoPart) {
  StudyIdentity identity;
  EXPECT_THAT(parts(identity.take(0, device("a", {{Kind::kDriver, "node", ""}}))),
              ElementsAre(::testing::Field(&search::IdentityPart::kind, Kind::kDevice)));
}

}  // namespace
}  // namespace nightshift::scheduler
