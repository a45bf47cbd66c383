#include "evaluator/cuda/driver/cuda_error.h"

#include <gtest/gtest.h>

namespace nightshift::evaluator::cuda {
namespace {

TEST(CudaError, ABadLaunchLeavesTheContextAsItWas) {
  for (const Result code : {kSuccess, 1, kOutOfMemory, kNotFound, 701, 912}) {
    EXPECT_EQ(damage_of(code), Damage::kNothing) << code;
  }
}

TEST(CudaError, AKernelThatWentAstrayBreaksTheContext) {
  for (const Result code : {700, 702, 709, 710, 714, 719, 721}) {
    EXPECT_EQ(damage_of(code), Damage::kContext) << code;
  }
}

TEST(CudaError, WhatNobodyKnowsMayBeTheDevice) {
  for (const Result code : {100, 214, 220, 711, 802, 999, -1}) {
    EXPECT_EQ(damage_of(code), Damage::kDevice) << code;
  }
}

TEST(CudaError, ASuccessIsNone) { EXPECT_NO_THROW(check(kSuccess, "cuInit")); }

}  // namespace
}  // namespace nightshift::evaluator::cuda
