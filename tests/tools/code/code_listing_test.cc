#include "tools/code/code_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tools/code/code_difference.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using RunSide = CodeRun::Side;

constexpr const char* kObjdump = R"(
kernel.so:     file format elf64-x86-64

Disassembly of section .plt:

0000000000001020 <.plt>:
    1020:	push   0x2fca(%rip)        # 3ff0 <other+0x2de0>

Disassembly of section .text:

0000000000001040 <frame_dummy>:
    1040:	endbr64

0000000000001100 <scale(float*, int)>:
    1100:	test   %esi,%esi
    1104:	jle    11f8 <scale(float*, int)+0xf8>
    1116:	vbroadcastss 0xee1(%rip),%ymm2        # 2000 <other+0xdf0>
    1144:	vfmadd132ps (%rax),%ymm1,%ymm0
    114d:	vmovups %ymm0,-0x20(%rax)
    1150:	call   1300 <helper>
    11f8:	ret
    11f9:	nopl   0x0(%rax)
)";

std::vector<std::string> normals(const CodeFunction& function) {
  std::vector<std::string> all;
  for (const CodeInstruction& i : function.instructions) all.push_back(i.normal);
  return all;
}

TEST(CodeListing, OfAHostHasTheKernelAloneAndNoAddresses) {
  const CodeListing listing = listing_of_objdump(kObjdump);
  ASSERT_EQ(listing.functions.size(), 1U);
  EXPECT_EQ(listing.functions[0].name, "scale(float*, int)");
  EXPECT_THAT(normals(listing.functions[0]),
              ElementsAre("test %esi,%esi", "jle <>", "vbroadcastss <>(%rip),%ymm2",
                          "vfmadd132ps (%rax),%ymm1,%ymm0", "vmovups %ymm0,-0x20(%rax)",
                          "call <helper>", "ret"));
  const CodeMix mix = mix_of(CodeKind::kHost, listing);
  EXPECT_EQ(mix, (CodeMix{{"calls", 1},
                          {"control", 2},
                          {"integer", 1},
                          {"stores", 1},
                          {"vector floating point", 1},
                          {"vector moves", 1}}));
}

constexpr const char* kSass = R"(
	code for sm_90a
		Function : scale
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */
                                                               /* 0x000fe20000000800 */
        /*00b0*/              @!P0 LDG.E R0, desc[UR6][R2.64] ;  /* 0x0000000602008981 */
        /*00c0*/                   FFMA R0, R0, R0, R1 ;       /* 0x0000000602008981 */
        /*00d0*/              @P1  BRA 0x1f0 ;                 /* 0x0 */
        /*00e0*/                   EXIT ;                      /* 0x0 */
        /*00f0*/                   NOP;                        /* 0x0 */
)";

TEST(CodeListing, OfAGpuHasInstructionsClassesAndResources) {
  const CodeListing listing = listing_of_cuobjdump(
      kSass, "Resource usage:\n Function scale:\n  REG:8 STACK:16 SHARED:1280 LOCAL:4 TEXTURE:0\n");
  ASSERT_EQ(listing.functions.size(), 1U);
  EXPECT_THAT(normals(listing.functions[0]),
              ElementsAre("LDC R1, c[0x0][0x28]", "@!P0 LDG.E R0, desc[UR6][R2.64]",
                          "FFMA R0, R0, R0, R1", "@P1 BRA <>", "EXIT"));
  EXPECT_EQ(listing.resources.at("scale"), (CodeResources{8, 16, 4, 1280}));
  EXPECT_EQ(mix_of(CodeKind::kSass, listing),
            (CodeMix{{"constants", 1}, {"control", 2}, {"fp32", 1}, {"global memory", 1}}));
}

TEST(CodeListing, OfAnythingElseIsEmpty) {
  EXPECT_THAT(listing_of_objdump("no such file").functions, IsEmpty());
  EXPECT_THAT(listing_of_cuobjdump("", "REG:8").functions, IsEmpty());
}

std::vector<CodeInstruction> code(const std::string& letters) {
  std::vector<CodeInstruction> all;
  for (const char c : letters) all.push_back({std::string(1, c), std::string(1, c)});
  return all;
}

TEST(CodeDifference, IsTheShortestEdit) {
  EXPECT_THAT(difference(code("abc"), code("abc")), ElementsAre(CodeRun{RunSide::kBoth, 0, 3}));
  EXPECT_THAT(difference(code("abcd"), code("abxd")),
              ElementsAre(CodeRun{RunSide::kBoth, 0, 2}, CodeRun{RunSide::kFirst, 2, 1},
                          CodeRun{RunSide::kSecond, 2, 1}, CodeRun{RunSide::kBoth, 3, 1}));
  EXPECT_THAT(difference({}, code("a")), ElementsAre(CodeRun{RunSide::kSecond, 0, 1}));
  EXPECT_THAT(difference({}, {}), IsEmpty());
}

// Follows the runs through both sides.
void expect_joins(const std::vector<CodeInstruction>& first,
                  const std::vector<CodeInstruction>& second) {
  std::size_t x = 0, y = 0;
  for (const CodeRun& run : difference(first, second)) {
    ASSERT_EQ(run.begin, run.side == RunSide::kFirst ? x : y);
    for (std::size_t i = 0; i < run.count; ++i) {
      if (run.side != RunSide::kBoth) continue;
      ASSERT_EQ(first.at(x + i), second.at(y + i));
    }
    if (run.side != RunSide::kSecond) x += run.count;
    if (run.side != RunSide::kFirst) y += run.count;
  }
  EXPECT_EQ(x, first.size());
  EXPECT_EQ(y, second.size());
}

TEST(CodeDifference, CoversBothSidesWhateverTheyAre) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string letters[2];
    for (std::string& side : letters) {
      for (std::size_t n = random() % 30; n > 0; --n) side += static_cast<char>('a' + random() % 3);
    }
    expect_joins(code(letters[0]), code(letters[1]));
  }
  expect_joins(code(std::string(3 * kMostEdits, 'a')), code(std::string(3 * kMostEdits, 'b')));
}

constexpr const char* kPtxText = R"(
.version 8.8
.target sm_90a
.visible .entry scale(
.param .u64 scale_param_0
)
{
.reg .f32 %f<9>;
mov.u32 	%r1, %tid.x;  // of a block
@%p1 bra 	$L__BB0_2;
ld.global.f32 	%f1, [%rd5+16];
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
{%f1, %f2},
%rd1, %rd2;
fma.rn.f32 	%f6, %f1, %f1, 0f3F800000;
$L__BB0_2:
ret;
}
.func (.reg .b32 out) helper(
.param .b32 x
)
{
ret;
}
)";

TEST(CodeListing, PtxHasInstructionsOfSeveralLinesAndFunctions) {
  const CodeListing listing = listing_of_ptx(kPtxText);
  ASSERT_EQ(listing.functions.size(), 2U);
  EXPECT_EQ(listing.functions[0].name, "scale");
  EXPECT_EQ(listing.functions[1].name, "helper");
  std::vector<std::string> classes;
  for (const CodeInstruction& i : listing.functions[0].instructions) {
    classes.emplace_back(class_of(CodeKind::kPtx, i));
  }
  EXPECT_EQ(classes, (std::vector<std::string>{"moves", "control", "global memory", "tensor",
                                               "fp32", "control"}));
}

TEST(CodeListing, NumbersOfRegistersAndLabelsOfPtxAreNoDifference) {
  const auto& code = listing_of_ptx(kPtxText).functions[0].instructions;
  const auto normal = [&](std::size_t i) { return code[i].normal; };
  EXPECT_EQ(normal(1).find("BB0"), std::string::npos);
  EXPECT_NE(normal(2).find("[%rd+16]"), std::string::npos) << "an offset is one: " << normal(2);
  EXPECT_EQ(normal(4).find("%f6"), std::string::npos);
  EXPECT_NE(normal(4).find("0f3F800000"), std::string::npos);
}

}  // namespace
}  // namespace nightshift::tools
