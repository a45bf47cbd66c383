#pragma once

#include "scheduler/pool/worker_slot.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// What a slot says of a job's end, as the pool reports it.
MeasureDone measure_done(WorkerSlotListener::JobEnd end, DeviceIndex device);
BuildDone build_done(WorkerSlotListener::JobEnd end);

}  // namespace nightshift::scheduler
