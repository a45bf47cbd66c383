#include "evaluator/launchers.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace nightshift::evaluator {
namespace {

// What is started, as one text; of words between blanks.
std::string launched(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  std::string rest;
  for (const std::string& word : launched_words(words)) rest += (rest.empty() ? "" : " ") + word;
  return rest;
}

TEST(Launchers, StartWhatStandsBehindTheirOptions) {
  for (const char* line : {"env X=1 ./k 1",
                           "env -u X Y=2 ./k 1",
                           "/usr/bin/env --unset=X ./k 1",
                           "env -- ./k 1",
                           "taskset 1 ./k 1",
                           "taskset -c 0,2 ./k 1",
                           "taskset -ac 0 ./k 1",
                           "nice ./k 1",
                           "nice -n 5 ./k 1",
                           "nice -n5 ./k 1",
                           "nice -5 ./k 1",
                           "nice --adjustment=5 ./k 1",
                           "ionice -c 2 -n 0 ./k 1",
                           "timeout 5 ./k 1",
                           "timeout -k 1 -s KILL 5s ./k 1",
                           "timeout --kill-after 1 --foreground 5 ./k 1",
                           "chrt -f 10 ./k 1",
                           "numactl -N 0 -m 0 ./k 1",
                           "numactl --cpunodebind=0 --localalloc ./k 1",
                           "stdbuf -oL -e 0 ./k 1",
                           "nohup ./k 1",
                           "setsid -w ./k 1",
                           "/usr/bin/time -f %e ./k 1"}) {
    EXPECT_EQ(launched(line), "./k 1") << line;
  }
}

TEST(Launchers, OthersAndWhatTheyAreToldOtherwiseStartNothingThatWeKnow) {
  for (const char* line :
       {"./k 1", "sh -c ./k", "env", "env X=1", "env -i ./k", "env PATH=/x k", "env -S ./k",
        "env -C /tmp ./k", "taskset -p 1 2", "taskset 1", "timeout", "nice --help", "srun ./k",
        "numactl --hardware", "nice -n", ""}) {
    EXPECT_EQ(launched(line), "") << line;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
