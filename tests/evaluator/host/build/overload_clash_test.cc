#include "evaluator/host/build/overload_clash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kComplaint =
    "error: no matching function for call to 'nightshift_signature(...)'";

class OverloadClash : public ::testing::Test {
 protected:
  OverloadClash() {
    search::Argument x;
    x.name = "x";
    x.type = search::ElementType::kFloat32;
    arguments_ = {x};
  }
  std::string clash(const std::string& text, bool as_reference = false,
                    const std::string& complaint = kComplaint) {
    return overload_clash({folder_.write("k.cc", text), "g", {}}, {{"BM", std::int64_t{64}}},
                          arguments_, as_reference, complaint);
  }
  const TemporaryFolder folder_;
  std::vector<search::Argument> arguments_;
};

TEST_F(OverloadClash, OfATemplateNamesTheArguments) {
  const std::string source = "\ntemplate <int BM, class T, int Q> void g(T* x) {}\n";
  EXPECT_THAT(clash(source), StartsWith("error: g<int BM, class T, int Q>(T *x) in k.cc:2 is"));
  EXPECT_THAT(clash(source), HasSubstr("function = \"g<BM, float, ...>\""));
  EXPECT_THAT(clash(source, true), HasSubstr("function = \"g<BM, double, ...>\""));
}

TEST_F(OverloadClash, OfSeveralFunctionsListsWhatNoneOfThemTakes) {
  const std::string source = "int g(float* x) { return 0; }\ntemplate <class T> void g(T) {}\n";
  EXPECT_THAT(clash(source), HasSubstr("not one of it alone takes (const float*)"));
  EXPECT_THAT(clash(""), HasSubstr("not one of it alone takes (const float*)"));
}

TEST_F(OverloadClash, SaysNothingOfOtherComplaints) {
  EXPECT_THAT(clash("template <class T> void g(T* x) {}", false, "error: no such thing"),
              IsEmpty());
  EXPECT_THAT(clash("", false, "error: #error no kernel\n" + std::string(kComplaint)), IsEmpty())
      << "a source that is broken before";
}

}  // namespace
}  // namespace nightshift::evaluator
