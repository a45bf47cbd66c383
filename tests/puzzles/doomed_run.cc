// A run that measures without end, for tests that kill it from outside. Prints a line once it is
// under way.
//
//   doomed-run SCRATCH_FOLDER ARTIFACT_FOLDER EVALUATOR
#include <unistd.h>

#include <cstdio>

#include "pool_driver.h"

int main(int argc, char** argv) {
  using namespace nightshift;
  if (argc != 4) return 2;
  const search::Problem problem = puzzles::puzzle_problem();
  scheduler::ForkedPoolOptions options;
  options.scratch_folder = argv[1];
  options.artifact_folder = argv[2];
  options.evaluator_program = argv[3];
  options.builders = 1;
  scheduler::ForkedWorkerPool pool(problem, puzzles::plain_devices(2), options);

  // What a killed run leaves to others to clean up, among decent trials and crashes.
  const char* const kPuzzles[] = {"good", "grandchild", "good", "segfault", "grandchild-daemon"};
  std::uint64_t trial = 0;
  while (true) {
    for (scheduler::DeviceIndex d = 0; d < 2; ++d) {
      if (!pool.can_measure(d)) continue;
      scheduler::Job order;
      order.trial = {++trial};
      order.device = d;
      order.evaluation().configuration = puzzles::puzzle(kPuzzles[trial % 5]);
      pool.start(order);
    }
    if (pool.can_build()) {
      scheduler::Job order;
      order.request = ipc::BuildRequest{};
      order.trial = {++trial};
      order.build().configuration = puzzles::puzzle("good");
      pool.start(order);
    }
    if (trial >= 20 && trial < 30) {
      std::printf("going\n");
      std::fflush(stdout);
      trial = 30;
    }
    pool.wait(std::nullopt);
  }
}
