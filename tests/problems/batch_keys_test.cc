#include "problems/batch_keys.h"

#include <gtest/gtest.h>

#include <set>

namespace nightshift::problems {
namespace {

void check_table(const ProblemTable& table) {
  std::set<std::string> names;
  for (const ProblemKey& key : table.keys) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    if (key.table != nullptr) {
      check_table(*key.table);
    } else {
      EXPECT_FALSE(key.meaning.empty()) << key.name;
    }
  }
}

TEST(BatchKeys, EachKeyStandsOnceAndHasAMeaning) { check_table(batch_file_keys()); }

TEST(BatchKeys, DefaultsKnowTheKeysOfAStudy) {
  const ProblemKey* defaults = batch_file_keys().find("defaults");
  const ProblemKey* study = batch_file_keys().find("study");
  ASSERT_TRUE(defaults != nullptr && study != nullptr);
  for (const ProblemKey& key : study->table->keys) {
    EXPECT_NE(defaults->table->find(key.name), nullptr) << key.name;
  }
  EXPECT_EQ(study->table->find("problem")->presence, Presence::kRequired);
  EXPECT_EQ(defaults->table->find("problem")->presence, Presence::kOptional);
}

}  // namespace
}  // namespace nightshift::problems
