#include "problems/readers/problem/found_starts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/problems/cuda_text.h"

// What was found before as places to start from.
namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// M = 4, N = 1024, bfloat16; the baseline has 64 threads.
class FoundStarts : public ::testing::Test {
 protected:
  static std::string entry(const std::string& configuration, int m = 4, int n = 1024,
                           const std::string& dtype = "bfloat16") {
    return R"({"shape": {"M": )" + std::to_string(m) + R"(, "N": )" + std::to_string(n) +
           R"(}, "configuration": {)" + configuration + R"(}, "dtype": ")" + dtype + "\"}";
  }
  static std::string unrolled(int by) {
    return R"("THREADS": 32, "UNROLL": )" + std::to_string(by);
  }
  static std::string text(const std::string& more = "") {
    return cuda_problem("[search]\nstarts_file = \"found.json\"\n" + more);
  }
  void write(const std::vector<std::string>& entries) {
    std::string list;
    for (const std::string& one : entries) list += (list.empty() ? "" : ",\n") + one;
    folder_.write("found.json", R"({"device": "a GPU", "found": [)" + list + "]}");
  }
  // THREADS and UNROLL of each start.
  std::vector<std::string> starts(const std::string& more = "",
                                  const std::vector<Override>& overrides = {}) {
    std::vector<std::string> told;
    for (const auto& start : folder_.read(text(more), overrides).scheduling.starts) {
      told.push_back(search::to_json(*start.find("THREADS")) + " x " +
                     search::to_json(*start.find("UNROLL")));
    }
    return told;
  }
  std::vector<std::string> mistakes(const std::string& more = "") {
    return folder_.diagnostics(text(more));
  }

  CudaFolder folder_;
};

TEST_F(FoundStarts, TheNearestSizesComeFirst) {
  write(
      {entry(unrolled(1), 4, 1 << 20), entry(unrolled(2), 4, 2048), entry(unrolled(4), 64, 1024)});
  EXPECT_THAT(starts(), ElementsAre("32 x 2", "32 x 4", "32 x 1"));
}

TEST_F(FoundStarts, TheSameTypeComesBeforeNearerSizes) {
  write({entry(unrolled(1), 4, 1024, "float32"), entry(unrolled(2), 4, 1 << 20)});
  EXPECT_THAT(starts(), ElementsAre("32 x 2", "32 x 1"));
}

TEST_F(FoundStarts, WhatIsAlikeComesBeforeNearerSizes) {
  write({entry(unrolled(1), 4, 1023), entry(unrolled(2), 4, 65536)});
  EXPECT_THAT(starts(), ElementsAre("32 x 1", "32 x 2"));
  EXPECT_THAT(starts("starts_alike = [\"N % 8 == 0\"]"), ElementsAre("32 x 2", "32 x 1"));
}

// Of 512 columns, whose baseline has 32 threads: neither a value or a parameter that is unknown,
// nor too many columns at once, nor the baseline, nor one that is there already.
TEST_F(FoundStarts, ThreeThatAreValidHereAreTaken) {
  write({entry(R"("UNROLL": 8)"), entry(R"("UNKNOWN": 1)"), entry(R"("THREADS": 128, "UNROLL": 4)"),
         entry(R"("FINISH": "block")"), entry(R"("THREADS": 64)"),
         entry(R"("THREADS": 64, "UNROLL": 1.0)"), entry(R"("THREADS": 64, "UNROLL": 2.0)"),
         entry(unrolled(2)), entry(unrolled(4))});
  EXPECT_THAT(starts("", {{"cuda.sizes.N", "512"}}), ElementsAre("64 x 1", "64 x 2", "32 x 2"));
}

TEST_F(FoundStarts, WhatTheUserNamesComesFirst) {
  write({entry(R"("THREADS": 128)"), entry(unrolled(1))});
  EXPECT_THAT(starts("starts = [{ THREADS = 32, UNROLL = 2 }, { THREADS = 128 }]"),
              ElementsAre("32 x 2", "128 x 1", "32 x 1"));
}

TEST_F(FoundStarts, ATypeOrSizesFromOutsideCount) {
  write({entry(unrolled(1)), entry(unrolled(2), 4, 4096)});
  EXPECT_THAT(starts("", {{"cuda.sizes.N", "8192"}}), ElementsAre("32 x 2", "32 x 1"));
}

TEST_F(FoundStarts, AnEmptyNameIsNoFile) {
  write({entry(unrolled(1))});
  EXPECT_THAT(starts("", {{"search.starts_file", ""}}), IsEmpty());
  EXPECT_THAT(starts("", {{"search.starts_file", "[]"}}), IsEmpty());
  EXPECT_THAT(folder_.read(text(), {{"search.starts_file", "\"\""}}).scheduling.starts_files,
              IsEmpty());
  EXPECT_THAT(folder_.read(text()).scheduling.starts_files,
              ElementsAre(folder_.path("found.json")));
}

TEST_F(FoundStarts, AListOfToolsIsReadToo) {
  folder_.write("found.json",
                R"([{"problem": "p", "sizes": {"N": 1}, "configuration": {"THREADS": 32}}])");
  EXPECT_THAT(starts(), ElementsAre("32 x 1"));
}

// Of each further file one, as far as the problem knows its parameters and values.
TEST_F(FoundStarts, TheNearestOfRelatedProblemsCome) {
  write({entry(unrolled(1)), entry(unrolled(2))});
  folder_.write("other.json", "[" + entry(R"("UNROLL": 4, "THREADS": 5, "PIPELINE": "fused")") +
                                  "," + entry(unrolled(4), 4, 2048) + "]");
  folder_.write("third.json", "[" + entry(R"("THREADS": 128)", 8) + "," + entry(unrolled(1)) + "]");
  const std::vector<Override> files = {
      {"search.starts_file", R"(["found.json", "other.json", "third.json"])"}};
  EXPECT_THAT(starts("", files), ElementsAre("32 x 1", "32 x 2", "64 x 4", "128 x 1"));
  EXPECT_THAT(folder_.read(text(), files).scheduling.starts_files,
              ElementsAre(folder_.path("found.json"), folder_.path("other.json"),
                          folder_.path("third.json")));
}

TEST_F(FoundStarts, NothingFoundIsNoMistake) {
  write({});
  EXPECT_THAT(starts(), IsEmpty());
}

TEST_F(FoundStarts, MistakesAreNamed) {
  EXPECT_THAT(mistakes(),
              ElementsAre(HasSubstr("search.starts_file names 'found.json', which is no "
                                    "file")));
  folder_.write("found.json", "{");
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("search.starts_file 'found.json': is no JSON")));
  write({entry(unrolled(1)), "7"});
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("entry 2 is no object")));
  write({entry(R"("THREADS": 32, "X": 1)"), entry(R"("THREAD": 5)")});
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("each of its 2 entries has a parameter that this "
                                                "problem has not")));
  const auto of_files = [&](const std::string& list) {
    return folder_.diagnostics(cuda_problem("[search]\nstarts_file = " + list));
  };
  folder_.write("other.json", "[" + entry(R"("X": 1)") + "]");
  EXPECT_THAT(of_files(R"(["found.json", "none.json"])"),
              ElementsAre(HasSubstr("names 'none.json', which is no file")));
  EXPECT_THAT(of_files(R"(["found.json", 5])"),
              ElementsAre(HasSubstr("a list of files, not the integer 5")));
  write({entry(unrolled(1))});
  EXPECT_THAT(of_files(R"(["found.json", "other.json"])"),
              ElementsAre(HasSubstr("search.starts_file 'other.json': none of its entries has a "
                                    "parameter that this problem has too")));
  write({entry(R"("THREADS": 5)")});  // another study may allow it
  EXPECT_THAT(mistakes(), IsEmpty());
  EXPECT_THAT(mistakes("starts_alike = [\"Q == 1\", \"N % 8\"]"),
              ElementsAre(HasSubstr("search.starts_alike 'Q == 1': unknown name 'Q'")));
}

TEST(ReadFound, SaysWhichEntryIsWrong) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"7", "has no list"},
      {R"({"found": {}})", "has no list"},
      {"[[]]", "entry 1 is no object"},
      {R"([{"configuration": {}}])", "entry 1 has no object 'sizes'"},
      {R"([{"shape": {}}])", "entry 1 has no object 'configuration'"},
      {R"([{"shape": {"M": 1.5}, "configuration": {}}])", "a size 'M' that is none"},
      {R"([{"shape": {}, "configuration": {"A": []}}])", "a value of 'A' that is none"},
      {R"([{"shape": {"M": 18446744073709551615}, "configuration": {}}])",
       "the size 'M' of 18446744073709551615; whole numbers go from"},
      {R"([{"shape": {}, "configuration": {"A": 9223372036854775808}}])",
       "the value 9223372036854775808 of 'A'; whole numbers go from"},
  };
  for (const auto& [json, words] : kWrong) {
    try {
      read_found(json);
      ADD_FAILURE() << json;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(words)) << json;
    }
  }
}

}  // namespace
}  // namespace nightshift::problems
