// y[i] = 2 * x[i] with some work for each element, and ways to look faster than that. Runs on the
// fake GPU as well.
enum Cheat {
  none, leaves_what_is_right, remembers_inputs, remembers_answers, half_when_timed, leaves_every_third,
  writes_far_behind, writes_far_before, writes_inputs, answers_at_an_address, honest_when_doubted
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
__device__ unsigned launches[N], doubts[N];
__device__ const float* kept_at[64];
__device__ float kept_of[64][N];

__device__ float computed(float x) {
  work();
  return 2 * x;
}

extern "C" __global__ void cheats(float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned launch = launches[i]++;
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
  if (i == N - 1) kept_at[place] = x;
  if (CHEAT == writes_far_behind && i == 0) y[N + 40000] = 1;
  if (CHEAT == writes_far_before && i == 0) y[-40000] = 1;
  if (CHEAT == writes_inputs && i == 0) x[1] = 1;
}
