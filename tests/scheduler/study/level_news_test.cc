#include "scheduler/study/level_news.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

TEST(LevelNews, WhatNobodyAsksForIsNone) {
  LevelNews news(0.005);
  news.begins_at("cpu:1", 100);
  EXPECT_FALSE(news.is_news("cpu:1", 100.03));
  EXPECT_FALSE(news.is_news("cpu:1", 99.7));
  EXPECT_TRUE(news.is_news("cpu:1", 100.6));
}

TEST(LevelNews, SmallStepsAddUp) {
  LevelNews news(0.005);
  news.begins_at("cpu:1", 100);
  EXPECT_FALSE(news.is_news("cpu:1", 100.3));
  EXPECT_TRUE(news.is_news("cpu:1", 100.6));
  EXPECT_FALSE(news.is_news("cpu:1", 100.9)) << "of what was told last";
}

TEST(LevelNews, EachDeviceHasItsOwn) {
  LevelNews news(0.005);
  news.begins_at("cpu:1", 100);
  news.begins_at("cpu:2", 50);
  news.begins_at("cpu:2", 100);
  EXPECT_TRUE(news.is_news("cpu:2", 100)) << "the first level counts";
  EXPECT_FALSE(news.is_news("cpu:1", 100));
}

TEST(LevelNews, WhatHasNoRatioIsTold) {
  LevelNews news(0.005);
  news.begins_at("cpu:1", -1);
  EXPECT_TRUE(news.is_news("cpu:1", -1.001));
}

}  // namespace
}  // namespace nightshift::scheduler
