#include "evaluator/host/kernel_threads.h"

#include <gtest/gtest.h>

#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

TEST(KernelThreads, AreToldByTheNamesThatAnObjectNeeds) {
  const TemporaryFolder folder;
  const auto told = [&](const std::string& name) {
    const std::string before("ELF\0memcpy\0", 11);
    return std::string(threads_of(folder.write("object.so", before + name + '\0')));
  };
  EXPECT_EQ(told("GOMP_parallel"), "OpenMP");
  EXPECT_EQ(told("__kmpc_fork_call"), "OpenMP");
  EXPECT_EQ(told("_ZN3tbb6detail2r15spawnE"), "TBB");
  EXPECT_EQ(told("_ZNSt6thread15_M_start_threadE"), "threads");
  EXPECT_EQ(told("pthread_create"), "threads");
  EXPECT_EQ(told("my_pthread_create"), "");
  EXPECT_EQ(told("omp_get_wtime"), "") << "starts none";
}

TEST(KernelThreads, OfSeveralCasesAreThoseOfAnyOfThem) {
  const TemporaryFolder folder;
  const std::string cases = folder.make_folder("cases");
  folder.write("cases/0.so", "memcpy");
  EXPECT_EQ(threads_of(cases), "");
  folder.write("cases/1.so", std::string("\0pthread_create", 15));
  EXPECT_EQ(threads_of(cases), "threads");
  EXPECT_EQ(threads_of(folder.path() + "/nothing"), "");
}

}  // namespace
}  // namespace nightshift::evaluator
