#include "problems/cuda_source/cuda_types.h"

#include <gtest/gtest.h>

namespace nightshift::problems {
namespace {

using search::ElementType;

TEST(CudaTypes, PointersToNumbersAndNumbersArePlain) {
  const auto pointer = plain_type("const float *", {});
  ASSERT_TRUE(pointer);
  EXPECT_EQ(pointer->type, ElementType::kFloat32);
  EXPECT_TRUE(pointer->pointer);
  EXPECT_TRUE(pointer->is_const);
  const auto number = plain_type("const unsigned long long", {});
  ASSERT_TRUE(number);
  EXPECT_EQ(number->type, ElementType::kUint64);
  EXPECT_FALSE(number->pointer);
}

TEST(CudaTypes, AConstantPointerPointsToWhatMayBeWritten) {
  const auto type = plain_type("half * const", {});
  ASSERT_TRUE(type);
  EXPECT_EQ(type->type, ElementType::kFloat16);
  EXPECT_FALSE(type->is_const);
}

TEST(CudaTypes, OthersAreNot) {
  for (const char* type : {"float4 *", "void *", "float * *", "T *", "params", "float &", ""}) {
    EXPECT_FALSE(plain_type(type, {})) << type;
  }
}

TEST(CudaTypes, NamesOfTheSourceAndOfAnInstanceAreKnown) {
  const CudaSourceScan scan = scan_cuda_source(
      "typedef float real;\nusing number = real;\n#define WORD unsigned int\n"
      "template <class T, int N> __global__ void k(T*, number*, WORD*) {}\n");
  const TypeNames names = type_names(scan, scan.kernels.at(0), "k<__nv_bfloat16, 4>");
  EXPECT_EQ(plain_type("T *", names)->type, ElementType::kBfloat16);
  EXPECT_EQ(plain_type("number *", names)->type, ElementType::kFloat32);
  EXPECT_EQ(plain_type("WORD *", names)->type, ElementType::kUint32);
}

TEST(CudaTypes, ANameThatMeansSeveralTypesIsNotPlain) {
  const CudaSourceScan scan = scan_cuda_source(
      "#ifdef HALF\ntypedef half real;\n#else\ntypedef float real;\n#endif\n"
      "__global__ void k(real*) {}\n");
  EXPECT_FALSE(plain_type("real *", type_names(scan, scan.kernels.at(0), "k")));
}

}  // namespace
}  // namespace nightshift::problems
