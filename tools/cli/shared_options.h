#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/stop_times.h"
#include "tools/cli/argument_parser.h"

namespace nightshift::tools {

// Options that several subcommands have; each is declared here once.

// --keep-processes: of studies of kernels on a GPU, one after the other.
void add_keep_processes(ArgumentParser& parser, bool& keeps);

// PROBLEM, and --budget below, of commands that take a recorded space, or take none.
enum class Recordings : std::uint8_t { kTaken, kRefused };
void add_problem(ArgumentParser& parser, std::string& problem,
                 Recordings recordings = Recordings::kTaken);
void add_study(ArgumentParser& parser, std::string& study);  // STUDY
void add_devices(ArgumentParser& parser, std::string& devices);
void add_devices(ArgumentParser& parser, std::optional<std::string>& devices);
void add_json(ArgumentParser& parser, bool& json,
              const std::string& help = "Print one JSON object");
// KEY=VALUE of the problem file. An option of its own for a key wins over --set, wherever both
// stand.
void add_set(ArgumentParser& parser, Overrides& overrides);
void add_budget(ArgumentParser& parser, Overrides& overrides, const std::string& more_help = "",
                Recordings recordings = Recordings::kTaken);
// --effort; `more_help` says what it is of a study that is there.
void add_effort(ArgumentParser& parser, Overrides& overrides, const std::string& more_help = "");
// --nodes, see run/nodes.h, and --node-silence in seconds.
void add_nodes(ArgumentParser& parser, std::string& nodes, double& silence);
inline constexpr const char* kDevicesAndNodes =
    "--devices and --nodes: give --devices to each agent of the nodes";
// --grace and --wind-up.
void add_stop_times(ArgumentParser& parser, scheduler::StopTimes& times);
// --wait, in seconds: for devices that others use; nullopt stays where it is not given.
void add_wait(ArgumentParser& parser, std::optional<double>& wait);
// --confidence; `chance` says of what it is the chance.
void add_confidence(ArgumentParser& parser, Overrides& overrides, const std::string& chance);
// --pairs, at most, and --min-difference, as of a comparison.
void add_pairs(ArgumentParser& parser, Overrides& overrides, const std::string& help);
void add_min_difference(ArgumentParser& parser, Overrides& overrides, const std::string& help);
// Of what is drawn here; nullopt stays where it is not given.
void add_seed(ArgumentParser& parser, std::optional<std::uint64_t>& seed, const std::string& help);
// --architecture: what CUDA kernels are built for. `of` begins its help.
void add_architecture(ArgumentParser& parser, std::optional<int>& architecture,
                      const std::string& of);

}  // namespace nightshift::tools
