#include "tools/slurm/agent_steps.h"

#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

TEST(AgentSteps, AStepIsOneCommandOfAShell) {
  EXPECT_EQ(agent_step("node7", "/opt/night shift/bin/nightshift"),
            "exec srun --no-kill --overlap --mem=0 --nodes=1 --ntasks=1 --cpu-bind=none "
            "--nodelist=node7 '/opt/night shift/bin/nightshift' agent --in-job --node node7");
}

}  // namespace
}  // namespace nightshift::tools
