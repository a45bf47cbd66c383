#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ipc/cores.h"
#include "scheduler/devices/device_lock.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/devices/gpu_discovery.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/devices/gpu_table.h"
#include "tools/evaluator_program.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::Device;

constexpr const char* kEpilogue = R"(
Names are those that --devices takes: cores as cpu:1 or cpu:2-3, GPUs as gpu:0 or by the beginning of
their UUID.

Examples:
  nightshift devices
  nightshift devices --json | jq -r '.devices[].id')";

struct DevicesOptions {
  bool json = false;
};

void declare(ArgumentParser& parser, DevicesOptions& o) { add_json(parser, o.json); }

struct Held {
  std::string device;  // as --devices takes it
  std::string holder;
};

// What other runs of this user measure on now.
std::vector<Held> all_held(const scheduler::GpuList& gpus) {
  std::vector<Device> devices;
  for (const int core : scheduler::usable_cores()) {
    devices.push_back({"", "cpu:" + std::to_string(core), "", {core}});
  }
  for (const scheduler::Gpu& gpu : gpus.gpus) {
    devices.push_back({"", gpu.target.uuid, "", {}, gpu.target});
  }
  std::vector<Held> held;
  for (const Device& device : devices) {
    if (auto holder = scheduler::holder_of(device)) held.push_back({device.uuid, *holder});
  }
  return held;
}

std::string held_text(const scheduler::GpuList& gpus) {
  std::string text;
  for (const Held& h : all_held(gpus)) {
    text += h.device + " is measured on by process " + h.holder + "\n";
  }
  return text.empty() ? "" : text + "\n";
}

ordered_json devices_json(const std::vector<Device>& devices, const scheduler::GpuList& gpus) {
  ordered_json list = ordered_json::array();
  for (const Device& d : devices) {
    list.push_back({{"id", d.uuid}, {"node", d.node}, {"name", d.name}, {"cores", d.cores}});
  }
  ordered_json held = ordered_json::array();
  for (const Held& h : all_held(gpus)) held.push_back({{"device", h.device}, {"holder", h.holder}});
  ordered_json object = {{"devices", list},
                         {"cpu", scheduler::cpu_model()},
                         {"cores", scheduler::usable_cores()},
                         {"held", held}};
  object.update(gpu_json(gpus));
  return object;
}

std::string devices_text(const std::vector<Device>& devices, const scheduler::GpuList& gpus) {
  Rows rows = {{"device", "cores", "node", "model"}};
  for (const Device& d : devices)
    rows.push_back({d.uuid, ipc::core_ranges(d.cores, ','), d.node, d.name});
  const std::string cores = ipc::core_ranges(scheduler::usable_cores(), ',');
  const std::string first = std::to_string(scheduler::usable_cores().front());
  return table(rows, 0) + "\n" + gpu_text(gpus) + "\n" + held_text(gpus) +
         paragraph(
             "`--devices all` measures what runs on GPUs, CUDA kernels and programs that say so, "
             "on "
             "all of them, and everything else on the cores above. Others are named by a list: "
             "gpu:0,gpu:1 or beginnings of UUIDs; or "
             "any cores out of " +
                 cores + ", e.g. cpu:" + first +
                 " or cpu:1,cpu:2-3. Several "
                 "devices are measured on at the same time. A recorded space is its own device.",
             0);
}

ExitCode run(const DevicesOptions& options) {
  const std::vector<Device> all = scheduler::cpu_devices("all", {});
  const scheduler::GpuList gpus = scheduler::discover_gpus(evaluator_program());
  if (options.json) {
    print_json(devices_json(all, gpus));
  } else {
    print_page(devices_text(all, gpus));
  }
  return ExitCode::kSuccess;
}

}  // namespace

Command devices_command() {
  return make_command<DevicesOptions>("devices", "List the devices of this machine", kEpilogue,
                                      declare, run);
}

}  // namespace nightshift::tools
