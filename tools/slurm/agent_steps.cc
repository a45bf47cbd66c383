#include "tools/slurm/agent_steps.h"

#include "tools/text/format.h"

namespace nightshift::tools {

std::string agent_step(const std::string& node, const std::string& program) {
  return "exec srun --no-kill --overlap --mem=0 --nodes=1 --ntasks=1 --cpu-bind=none --nodelist=" +
         shell_word(node) + " " + shell_word(program) + " agent --in-job --node " +
         shell_word(node);
}

}  // namespace nightshift::tools
