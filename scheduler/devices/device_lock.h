#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ipc/file_lock.h"
#include "scheduler/devices/device.h"

namespace nightshift::scheduler {

// Held by the one run of this user that measures on a GPU or on a core, so that two do not disturb
// each other; released when the process ends, however it ends.
class DeviceLock {
 public:
  // `name` is a GPU's UUID or what core_lock_name() gives; `purpose` is told to whoever is refused,
  // and may be empty. Throws DeviceError with the other's process id where another run holds it, or
  // where `folder` (made if need be) is not ours alone.
  DeviceLock(const std::string& name, const std::string& folder, const std::string& purpose = "");

 private:
  ipc::FileLock lock_;
};

std::string core_lock_name(int core);  // "core-3"

// XDG_RUNTIME_DIR/nightshift, or /tmp/nightshift-UID: what runs of one user on one machine share.
std::string runtime_folder();
// Makes runtime_folder() or one like it. Throws DeviceError where it belongs to somebody else.
void make_private_folder(const std::string& folder);

// Of each device that is a GPU, and of each core of the others. A recorded space, and what is
// pinned nowhere, has none.
std::vector<DeviceLock> lock_devices(const std::vector<Device>& devices,
                                     const std::string& purpose);
// Who holds the device, or one of its cores, now: "4711 on node7, rmsnorm"; nullopt: nobody.
std::optional<std::string> holder_of(const Device& device);

}  // namespace nightshift::scheduler
