#pragma once

namespace nightshift::evaluator {

// Whether a thread that stays in this process, such as those of OpenMP's pool, has other settings than
// the calling one, which the next code would meet: cores, priority, and of floating point the
// rounding, denormals as zeros and exceptions that end the process. 10 us where there is no other
// thread, else some 100 us.
//
// A thread tells its floating point in a handler of SIGURG. Only those are asked that wait in a futex,
// as pools do, and do not block the signal: their waiting goes on behind it, where another call might be
// cut off. Of threads that do not answer in time nobody knows, and they are called others. Cores are
// not asked where OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY or KMP_AFFINITY gives each its own.
bool threads_have_other_settings();

}  // namespace nightshift::evaluator
