#pragma once

#include <gtest/gtest.h>

#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/launch/support_kernels.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/fakes/gpu/fake_gpu.h"

namespace nightshift::evaluator::cuda {

// The kernels that fill and compare, on the fake GPU, for all tests of a suite.
class SupportTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    use_fake_gpu();
    folder_ = new TemporaryFolder;
    context_ = new Context(fake_gpu_uuid(0));
    support_ = new SupportKernels(*context_, 90, folder_->path());
  }
  static void TearDownTestSuite() {
    delete support_;
    delete context_;
    delete folder_;
  }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline Context* context_ = nullptr;
  static inline SupportKernels* support_ = nullptr;
};

}  // namespace nightshift::evaluator::cuda
