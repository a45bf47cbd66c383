#include "scheduler/pool/spare_order.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

constexpr SparePlace kFull{.spares = 2};
constexpr SparePlace kEmpty{.due = true};
constexpr SparePlace kHasOne{.due = true, .spares = 1};

SparePlace on_gpu(SparePlace place) {
  place.gpu = place.settled = true;
  return place;
}
SparePlace starting(SparePlace place) {
  place.starting = true;
  return place;
}

TEST(SpareOrder, WhereNoneIsDueThereIsNone) {
  EXPECT_EQ(next_spare({}), std::nullopt);
  EXPECT_EQ(next_spare({kFull, kFull}), std::nullopt);
}

TEST(SpareOrder, ThePlaceWithTheFewestComesFirst) {
  EXPECT_EQ(next_spare({kFull, kHasOne, kEmpty, kEmpty}), 2U);
  EXPECT_EQ(next_spare({kHasOne, kHasOne}), 0U);
}

TEST(SpareOrder, FirstProcessesGoBeforeSpares) {
  EXPECT_EQ(next_spare({kEmpty, {.awaited = true}}), std::nullopt);
}

TEST(SpareOrder, SparesOnGpusAreStartedOneAfterTheOther) {
  EXPECT_EQ(next_spare({on_gpu(starting(kHasOne)), on_gpu(kEmpty)}), std::nullopt);
  EXPECT_EQ(next_spare({on_gpu(kHasOne), on_gpu(kEmpty)}), 1U);
  EXPECT_EQ(next_spare({starting(kHasOne), kEmpty}), 1U) << "on cores all at once";
}

TEST(SpareOrder, OnGpusTheFirstJobIsNotDisturbed) {
  SparePlace new_process = on_gpu(kEmpty);
  new_process.settled = false;
  EXPECT_EQ(next_spare({new_process}), std::nullopt);
  EXPECT_EQ(next_spare({new_process, on_gpu(kHasOne)}), 1U);
  EXPECT_EQ(next_spare({kEmpty}), 0U) << "on cores there is nothing to wait for";
}

}  // namespace
}  // namespace nightshift::scheduler
