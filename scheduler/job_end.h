#pragma once

#include "scheduler/station.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// What a station says of a job's end, as the pool reports it.
MeasureDone measure_done(StationListener::JobEnd end, DeviceIndex device);
BuildDone build_done(StationListener::JobEnd end);

}  // namespace nightshift::scheduler
