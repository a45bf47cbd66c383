#pragma once

#include <string>
#include <vector>

namespace nightshift::tools {

// The command of a shell that starts the agent of a node as a step of the Slurm job in which it is
// run. Lines go through srun's standard input and output.
//
//   --no-kill                  the step outlives another node of the job
//   --overlap --mem=0          else it waits for resources that other steps hold
//   --cpu-bind=none            the agent itself places what it starts, on all cores of the job
//   no -u                      that one is a terminal, which turns lines into others
//
// GPUs are those that the job has on the node, as srun hands them out where none are named.
std::string agent_step(const std::string& node, const std::string& program);

}  // namespace nightshift::tools
