// y[i] = 2 * x[i] with some work for each element, and ways to look faster than that. Runs on the
// fake GPU as well.
enum Cheat {
  none, leaves_what_is_right, remembers_inputs, remembers_answers, half_when_timed, leaves_every_third,
  writes_far_behind, writes_far_before, writes_inputs, answers_at_an_address, honest_when_doubted,
  leaves_where_not_poisoned, leaves_known_inputs, leaves_the_tail, leaves_odd_blocks, few_launches_are_honest,
  does_nothing, remembers_two_inputs, remembers_by_one_element, answers_one_launch_late, lower_precision,
  computes_samples, mean_of_all, not_a_number, infinite, makes_inputs_easy, writes_just_behind, writes_just_before
};

#ifndef __FAKE_GPU__
__device__ void work() {
  const long long start = clock64();
  while (clock64() - start < 40000) {}
}
#else
void work() { fake_spend_us(20); }
#endif

// What lasts from launch to launch.
__device__ float kept_x[N];
__device__ float kept_y[N];
__device__ float kept_first[N];
__device__ unsigned launches[N], doubts[N];
__device__ const float* kept_at[64];
__device__ float kept_of[64][N];
__device__ float two_x[2][N], two_y[2][N];

__device__ float computed(float x) {
  work();
  return 2 * x;
}

// Answers of other inputs than those asked about, or of none.
__device__ bool answered_without_work(const float* x, float* y, int i) {
  if (CHEAT == lower_precision) y[i] = (float)(int)(2 * x[i] * 64) / 64;
  else if (CHEAT == computes_samples) y[i] = 2 * x[i / 4 * 4];
  else if (CHEAT == mean_of_all) y[i] = 0;
  else if (CHEAT == not_a_number) y[i] = -(1e30f * 1e30f - 1e30f * 1e30f);
  else if (CHEAT == infinite) y[i] = 1e30f * 1e30f;
  else return CHEAT == does_nothing;
  return true;
}

// Each element by itself.
__device__ bool knew_one_of_two(const float* x, float* y, int i, unsigned launch) {
  for (int slot = 0; slot < 2; ++slot) {
    if (launch <= slot || two_x[slot][i] != x[i]) continue;
    y[i] = two_y[slot][i];
    return true;
  }
  return false;
}

extern "C" __global__ void cheats(float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned launch = launches[i]++;
  if (answered_without_work(x, y, i)) return;
  if (CHEAT == leaves_where_not_poisoned && y[i] == y[i]) return;
  if (CHEAT == leaves_known_inputs && launch > 0 && kept_x[i] == x[i]) return;
  if (CHEAT == leaves_the_tail && i >= N - 128) return;
  if (CHEAT == leaves_odd_blocks && blockIdx.x % 2 == 1) return;
  if (CHEAT == few_launches_are_honest && launch > 5 && launch % 16 != 0) return;
  if (CHEAT == remembers_two_inputs && knew_one_of_two(x, y, i, launch)) return;
  if (CHEAT == remembers_by_one_element && launch > 0 && kept_first[i] == x[0]) {
    y[i] = kept_y[i];
    return;
  }
  if (CHEAT == answers_one_launch_late && launch > 0) {
    y[i] = kept_y[i];
    kept_y[i] = computed(x[i]);
    return;
  }
  if (CHEAT == makes_inputs_easy) {
    x[i] = 0;
    y[i] = 0;
    return;
  }
  if (CHEAT == leaves_what_is_right && y[i] == 2 * x[i]) return;
  if (CHEAT == remembers_inputs && launch > 0 && kept_x[i] == x[i]) {
    y[i] = kept_y[i];
    return;
  }
  if (CHEAT == remembers_answers && launch > 1) {
    y[i] = kept_y[i];
    return;
  }
  const unsigned place = (unsigned long long)x / 512 % 64;
  if (CHEAT == answers_at_an_address && kept_at[place] == x && kept_of[place][i] != 0) {
    y[i] = kept_of[place][i];
    return;
  }
  // Only the first launch after loading is checked, it thinks.
  if (CHEAT == half_when_timed && launch > 3 && i % 2 == 1) return;
  if (CHEAT == leaves_every_third && launch % 3 == 2) return;
  // Poison in its output is a check; a second one before its module is loaded anew is a doubt.
  if (CHEAT == honest_when_doubted) {
    if (y[i] != y[i]) ++doubts[i];
    if (doubts[i] < 2) {
      y[i] = 2 * x[i];
      return;
    }
  }
  const float answer = computed(x[i]);
  y[i] = answer;
  kept_x[i] = x[i];
  kept_y[i] = answer;
  kept_of[place][i] = answer;
  kept_first[i] = x[0];
  two_x[launch % 2][i] = x[i];
  two_y[launch % 2][i] = answer;
  if (i == N - 1) kept_at[place] = x;
  if (CHEAT == writes_far_behind && i == 0) y[N + 40000] = 1;
  if (CHEAT == writes_far_before && i == 0) y[-40000] = 1;
  if (CHEAT == writes_just_behind && i == 0) y[N] = 1;
  if (CHEAT == writes_just_before && i == 0) y[-1] = 1;
  if (CHEAT == writes_inputs && i == 0) x[1] = 1;
}
