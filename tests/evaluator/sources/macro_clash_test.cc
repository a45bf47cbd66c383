#include "evaluator/sources/macro_clash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const search::ToldNames kTold = {{"M", std::int64_t{1024}}, {"BM", std::int64_t{64}}};

class MacroClash : public ::testing::Test {
 protected:
  std::string clash(const std::string& file, const std::string& complaint = "") const {
    return macro_clash(kTold, file, {}, "", "host", complaint);
  }
  const TemporaryFolder folder_, system_;
};

TEST_F(MacroClash, NamesTheMacroItsValueThePlaceAndTheWayOut) {
  folder_.write("shape.h", "#pragma once\nvoid tile(int BM);\n");
  EXPECT_THAT(clash(folder_.write("gemm.cc", "#include \"shape.h\"\nint n = M;\n")),
              AllOf(StartsWith("error: BM is a macro with the value '64'"), HasSubstr("shape.h:2"),
                    HasSubstr("'int BM'"), HasSubstr("names = \"constants\" into [host]")));
}

TEST_F(MacroClash, FindsADeclarationOfFortran) {
  EXPECT_THAT(clash(folder_.write("k.f90", "subroutine f()\n integer :: BM\nend\n")),
              AllOf(HasSubstr("k.f90:2 declares 'integer :: BM': rename one of them\n"),
                    Not(HasSubstr("constants"))));
}

TEST_F(MacroClash, FindsADeclarationOfAHeaderThatTheCompilerNames) {
  const std::string file = folder_.write("k.cc", "#include <matrix>\n");
  const std::string header = system_.write("matrix", "\nclass M : Base {\n};\n");
  EXPECT_THAT(clash(file,
                    "<command-line>: error: expected identifier before numeric constant\n"
                    "In file included from " +
                        header + ":1,\n                 from " + file + ":1:\n"),
              AllOf(StartsWith("error: M is a macro"), HasSubstr("matrix:2 declares 'class M'")));
  EXPECT_THAT(clash(file, header + ":2:7: error: expected unqualified-id\n"),
              HasSubstr("matrix:2 declares 'class M'"));
}

TEST_F(MacroClash, FindsAUseInTheLineThatTheCompilerNames) {
  const std::string header = system_.write("h.h", "// M\nfloat f(M<int> a, BM);\n");
  EXPECT_THAT(clash(folder_.write("k.cc", ""), header + ":2:9: error: expected ')'\n"),
              HasSubstr("but h.h:2 uses the name for something else"));
}

TEST_F(MacroClash, FindsAValueThatDoesNotFit) {
  const std::string file = folder_.write("k.cc", "int* p = BM;\n");
  EXPECT_THAT(clash(file, "<command-line>: error: invalid conversion from 'int' to 'int*'\n" +
                              file + ":1:10: note: in expansion of macro 'BM'\n"),
              HasSubstr("BM is a macro with the value '64', which does not fit where k.cc:1"));
}

TEST_F(MacroClash, SaysNothingOfASourceThatDeclaresNoneOrIsNotThere) {
  const std::string file = folder_.write("a.cc", "int n = M;");
  EXPECT_THAT(clash(file), IsEmpty());
  EXPECT_THAT(clash(file, file + ":1:5: error: redefinition of 'n'\n/usr/nowhere.h:3: note\n:7\n"),
              IsEmpty());
  EXPECT_THAT(clash("/nowhere/a.cc"), IsEmpty());
}

}  // namespace
}  // namespace nightshift::evaluator
