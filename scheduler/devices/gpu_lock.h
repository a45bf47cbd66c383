#pragma once

#include <string>
#include <vector>

#include "ipc/file_lock.h"
#include "scheduler/devices/device.h"

namespace nightshift::scheduler {

// Held by the one run of this user that measures on a GPU, so that two do not disturb each other;
// released when the process ends, however it ends.
class GpuLock {
 public:
  // Throws DeviceError with the other's process id where another run holds it, or where `folder`
  // (made if need be) is not ours alone.
  GpuLock(const std::string& uuid, const std::string& folder);

 private:
  ipc::FileLock lock_;
};

// XDG_RUNTIME_DIR/nightshift, or /tmp/nightshift-UID: what runs of one user on one machine share.
std::string runtime_folder();
// Makes runtime_folder() or one like it. Throws DeviceError where it belongs to somebody else.
void make_private_folder(const std::string& folder);

// Of each device that is a GPU.
std::vector<GpuLock> lock_gpus(const std::vector<Device>& devices);

}  // namespace nightshift::scheduler
