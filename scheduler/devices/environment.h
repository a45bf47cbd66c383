#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nightshift::scheduler {

// The machine and its software as names and text: node, cpu, cores, memory, os, kernel, compiler,
// gpus (from /proc/driver/nvidia; nothing of CUDA is loaded), nightshift version, git state of the
// folder that holds the problem file. Compilers and GPUs are as they were when this process asked
// first. Missing facts are left out; nothing throws.
std::vector<std::pair<std::string, std::string>> capture_environment(
    const std::string& problem_file, const std::vector<std::string>& compilers);

}  // namespace nightshift::scheduler
