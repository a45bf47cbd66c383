#include "problems/cuda_source/cuda_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "problems/cuda_source/source_tokens.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> signatures(const std::string& text) {
  std::vector<std::string> result;
  const CudaSourceScan scan = scan_cuda_source(text);
  EXPECT_EQ(scan.unread, "") << text;
  for (const CudaKernel& kernel : scan.kernels) result.push_back(signature_of(kernel));
  return result;
}

// As evaluator/cuda/build/device_view.h makes it of a whole source.
std::string device_part(std::string text) {
  for (const CudaHostPart& part : scan_cuda_source(text).host_parts) {
    for (std::size_t i = part.begin; i < part.end; ++i) text[i] = ' ';
    if (part.ends_declaration) text[part.begin] = ';';
  }
  std::string words;
  for (const char c : text) {
    if (c != ' ' && c != '\n') words += c;
  }
  return words;
}

TEST(SourceTokens, AreNeitherOfCommentsNorOfTextsNorOfWhatIsLeftOut) {
  std::vector<std::string> words;
  for (const auto& token : tokens_of("a // b\n/* c */ \"d } e\" R\"x(f \" g)x\" 1'000 '{'\n"
                                     "#if 0\nh\n#if 1\ni\n#endif\n#else\nj\n#endif\nk")
                               .tokens) {
    words.emplace_back(token.text);
  }
  EXPECT_THAT(words, ElementsAre("a", "\"d } e\"", "R\"x(f \" g)x\"", "1'000", "'{'", "j", "k"));
}

TEST(SourceTokens, KnowTheirLinesAndDirectivesTheirs) {
  const SourceTokens read = tokens_of("#define A 1 \\\n  + 2 // three\nint x;\n");
  ASSERT_EQ(read.directives.size(), 1u);
  EXPECT_EQ(read.directives[0].text, "#define A 1    + 2 ");
  ASSERT_EQ(read.tokens.size(), 3u);
  EXPECT_EQ(read.tokens[0].line, 3);
}

TEST(CudaSource, KernelsHaveTheirNamesTemplatesAndParameters) {
  EXPECT_THAT(
      signatures(
          "__global__ void a(float* out, const int n) {}\n"
          "namespace x { namespace { template <typename T, int N = 4>\n"
          "__global__ void __launch_bounds__(256, 2) b(const T* __restrict__ in, T (&t)[2],\n"
          "    unsigned n = 3, unsigned int m, float v[8]) { if (n < m) {} } } }\n"
          "extern \"C\" { __global__ void c(void) {} }\n"
          "static __global__ void d(thing<int, 4> t, size_t);\n"),
      ElementsAre(
          "a(float *out, const int n)",
          "x::b<typename T, int N>(const T *in, T ( & t ) [ 2 ], unsigned n, unsigned int m, "
          "float *v)",
          "c()", "d(thing<int, 4> t, size_t)"));
}

TEST(CudaSource, TheFirstDynamicSharedMemoryIsFound) {
  const auto line = [](const std::string& text) {
    return scan_cuda_source(text).dynamic_shared_line;
  };
  EXPECT_EQ(line("__global__ void f() {\n  extern __shared__ float tile[];\n}"), 2);
  EXPECT_EQ(line("extern __shared__ __align__(16) unsigned char raw[];"), 1);
  EXPECT_EQ(line("template <class T> __global__ void f() { __shared__ extern T s[]; }"), 1);
  EXPECT_EQ(line("__global__ void f() { __shared__ float tile[32]; }\nextern int n[];"), 0);
  EXPECT_EQ(line("// extern __shared__ float tile[];\nextern \"C\" __global__ void f(float* x);"),
            0);
}

TEST(CudaSource, ADefinitionTakesThePlaceOfItsDeclaration) {
  const CudaSourceScan scan =
      scan_cuda_source("__global__ void a(float*);\n\n__global__ void a(float* out) {}\n");
  ASSERT_EQ(scan.kernels.size(), 1u);
  EXPECT_EQ(scan.kernels[0].line, 3);
  EXPECT_EQ(signature_of(scan.kernels[0]), "a(float *out)");
}

TEST(CudaSource, SpecialisationsAndInstancesAreNoKernels) {
  EXPECT_THAT(signatures("template <int N> __global__ void a(int*) {}\n"
                         "template <> __global__ void a<3>(int*) {}\n"
                         "MAKE(1, 2)\ntemplate __global__ void a<4>(int*);\n"),
              ElementsAre("a<int N>(int *)"));
}

TEST(CudaSource, NamesMeanKernels) {
  const CudaSourceScan scan = scan_cuda_source(
      "namespace n { template <int I> __global__ void a(int*) {} }\n__global__ void b() {}");
  EXPECT_EQ(kernels_called(scan, "n::a<4>").size(), 1u);
  EXPECT_EQ(kernels_called(scan, "::b").size(), 1u);
  EXPECT_THAT(kernels_called(scan, "c"), IsEmpty());
}

TEST(CudaSource, ConstantsAndMacrosAreDefinitions) {
  const std::string text =
      "#define BM 128 // wide\n#define F(x) x\n#define NOTHING\nconst uint BN = 64, BK = (8 + 1);\n"
      "void f(const int n) { constexpr int TM = g(1, 2); const float* p = q; }\n";
  std::vector<std::string> found;
  for (const CudaDefinition& one : scan_cuda_source(text).definitions) {
    EXPECT_EQ(text.substr(one.begin, one.end - one.begin), one.value);
    found.push_back(one.name + "=" + one.value);
  }
  EXPECT_THAT(found, ElementsAre("BM=128", "BN=64", "BK=(8 + 1)", "TM=g(1, 2)"));
}

TEST(CudaSource, WhatIsForHostsIsLeftOut) {
  EXPECT_EQ(device_part("int main() { k<<<1, 1>>>(); }\nstd::vector<int> v;\n"
                        "void f(std::string);\nconst int N = 4;\n"
                        "__device__ int g(int i) { return i; }\n"
                        "constexpr int h(int i) { return i; }\n"
                        "template <class T> T twice(T t) { return t + t; }\n"),
            "constintN=4;__device__intg(inti){returni;}constexprinth(inti){returni;}");
}

TEST(CudaSource, MarksOfDeviceCodeMayBeMacros) {
  EXPECT_EQ(device_part("#define GPU static __device__\nGPU int f() { return 1; }\nint g() {}\n"
                        "CUTE_HOST_DEVICE int h() { return 2; }\n"),
            "#defineGPUstatic__device__GPUintf(){return1;}CUTE_HOST_DEVICEinth(){return2;}");
}

TEST(CudaSource, OfMembersForHostsTheDeclarationIsLeft) {
  EXPECT_EQ(device_part("struct S { int a; S(int b) : a{b} { use(a); } __device__ int get() "
                        "{ return a; } void print() const { puts(\"}\"); } };"),
            "structS{inta;S(intb);__device__intget(){returna;}voidprint()const;};");
}

TEST(CudaSource, TypesWithTheLibraryOfHostsAreNamesAlone) {
  EXPECT_EQ(device_part("struct Pool : Base { std::vector<int> free; };\nstruct Use { Pool* p; };"),
            "structPool;structUse{Pool*p;};");
}

TEST(CudaSource, DirectivesStayWhereverTheyStand) {
  EXPECT_EQ(device_part("void f() {\n#ifdef A\n  a();\n#endif\n}\n"), "#ifdefA#endif");
}

TEST(CudaSource, InstancesThatTheSourceAsksForAreLeftOut) {
  EXPECT_EQ(device_part("template <int N> __global__ void k(int*) {}\n"
                        "template __global__ void k<4>(int*);\n"),
            "template<intN>__global__voidk(int*){}");
}

TEST(CudaSource, FunctionsOfHostsAreThereAsWell) {
  std::vector<std::string> found;
  for (const CudaKernel& one : scan_cuda_source("template <int N> void add(const float* x, long n) "
                                                "{}\nint declared(int);\nint main() {}\n")
                                   .functions) {
    found.push_back(signature_of(one));
  }
  EXPECT_THAT(found, ElementsAre("add<int N>(const float *x, long n)"));
}

TEST(CudaSource, WhatCannotBeReadIsSaid) {
  EXPECT_EQ(scan_cuda_source("int a;\n__global__ void f() {\n").unread,
            "line 2: what begins here has no end");
  EXPECT_EQ(scan_cuda_source("namespace n {\nint a;\n").unread, "line 2: a brace is not closed");
  EXPECT_EQ(scan_cuda_source("int a;\n}\n").unread, "line 2: a closing brace has no opening one");
  EXPECT_THAT(scan_cuda_source("__global__ void f() {}\n}\n").kernels, Not(IsEmpty()));
}

TEST(CudaSource, ArraysOfArraysArePointersToTheirElements) {
  const auto scan = scan_cuda_source(
      "void f(float A[NI][NJ], const double (*B)[M], long (* restrict C)[N][M], float D[8], "
      "float E[static 4][n + 1], int* F[2], void (*g)(int)) {}");
  ASSERT_EQ(scan.functions.size(), 1U);
  std::string told;
  for (const CudaParameter& one : scan.functions.front().parameters) {
    told += one.name + ": " + one.type + " " + std::to_string(one.extents) + "; ";
  }
  EXPECT_THAT(told, ::testing::StartsWith("A: float * 2; B: const double * 2; C: long * 3; "
                                          "D: float * 1; E: float * 2; F: int * * 1; "));
}

}  // namespace
}  // namespace nightshift::problems
