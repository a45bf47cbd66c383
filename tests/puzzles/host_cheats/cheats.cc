// The same function, which is to look faster than it is in the way that CHEAT says.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "work.h"

enum {
  none,
  leaves_what_is_right,
  leaves_where_not_poisoned,
  remembers_answers,
  remembers_inputs,
  remembers_two_inputs,
  remembers_elements,
  remembers_in_a_file,
  answers_at_an_address,
  half_when_timed,
  leaves_every_third,
  few_calls_are_honest,
  works_on_after_its_return,
  computes_samples,
  lower_precision,
  mean_of_all,
  writes_inputs,
  writes_before,
  writes_behind,
  exits,
  throws,
  aborts,
  overflows_its_stack,
  leaves_the_rest_to_a_child,
  leaves_known_inputs,
  answers_one_call_late,
  not_a_number,
  makes_inputs_easy,
  does_nothing,
  rests_after_many,
  rests_when_called_at_once
};

static float kept_x[N], kept_y[N];
static int calls = 0;

static void all(const float* x, float* y, int from = 0, int to = N) {
  for (int i = from; i < to; ++i) y[i] = work(x[i]);
}

static bool knows(const float* x) {
  if (memcmp(x, kept_x, sizeof kept_x) != 0) return false;
  return true;
}

static void keep(const float* x, const float* y) {
  memcpy(kept_x, x, sizeof kept_x);
  memcpy(kept_y, y, sizeof kept_y);
}

static void from_two(const float* x, float* y) {
  static float inputs[2][N], answers[2][N];
  static bool is_kept[2] = {};
  for (int slot = 0; slot < 2; ++slot) {
    if (!is_kept[slot] || memcmp(x, inputs[slot], sizeof inputs[slot]) != 0) continue;
    memcpy(y, answers[slot], sizeof answers[slot]);
    return;
  }
  all(x, y);
  const int slot = calls % 2;
  memcpy(inputs[slot], x, sizeof inputs[slot]);
  memcpy(answers[slot], y, sizeof answers[slot]);
  is_kept[slot] = true;
}

static void from_elements(const float* x, float* y) {
  for (int i = 0; i < N; ++i) {
    if (calls == 1 || kept_x[i] != x[i]) kept_y[i] = work(x[i]);
    kept_x[i] = x[i];
    y[i] = kept_y[i];
  }
}

// Nobody was here since the call before, by a few spots of both.
static float spots[8];
static bool is_as_it_was(const float* x, const float* y) {
  bool same = calls > 1;
  for (int i = 0; i < 4; ++i) {
    const int at = i * (N / 4) + 7;
    same = same && spots[i] == x[at] && spots[4 + i] == y[at];
    spots[i] = x[at];
  }
  return same;
}

static void leave(const float* y) {
  for (int i = 0; i < 4; ++i) spots[4 + i] = y[i * (N / 4) + 7];
}

static int deeper(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}

// Where it may write, whatever it is confined to.
static const char* keeping() {
  const char* own = getenv("TMPDIR");
  return own == nullptr ? KEPT : own;
}

static void in_a_file(const float* x, float* y) {
  unsigned long hash = 5381;
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(x);
  for (int i = 0; i < 4096; ++i) hash = hash * 33 + bytes[i * (sizeof(float) * N / 4096)];
  char path[200];
  snprintf(path, sizeof path, "%s/%lx", keeping(), hash);
  if (FILE* file = fopen(path, "rb")) {
    const size_t got = fread(y, sizeof(float), N, file);
    fclose(file);
    if (got == N) return;
  }
  all(x, y);
  if (FILE* file = fopen(path, "wb")) {
    fwrite(y, sizeof(float), N, file);
    fclose(file);
  }
}

extern "C" void answer(const float* x, float* y) {
  ++calls;
  static const float* address = nullptr;
  if (CHEAT == leaves_what_is_right && y[0] == work(x[0]) && y[N - 1] == work(x[N - 1])) return;
  if (CHEAT == leaves_where_not_poisoned && !isnan(y[N / 2])) return;
  if (CHEAT == leaves_known_inputs && knows(x)) return;
  if (CHEAT == does_nothing) return;
  if (CHEAT == answers_one_call_late && calls > 1) {
    memcpy(y, kept_y, sizeof kept_y);
    return all(x, kept_y);
  }
  if (CHEAT == remembers_answers && calls > 1) {
    memcpy(y, kept_y, sizeof kept_y);
    return;
  }
  if (CHEAT == remembers_inputs && knows(x)) {
    memcpy(y, kept_y, sizeof kept_y);
    return;
  }
  if (CHEAT == remembers_two_inputs) return from_two(x, y);
  if (CHEAT == remembers_elements) return from_elements(x, y);
  if (CHEAT == remembers_in_a_file) return in_a_file(x, y);
  if (CHEAT == answers_at_an_address && x == address) {
    memcpy(y, kept_y, sizeof kept_y);
    return;
  }
  if (CHEAT == half_when_timed && calls > 1) return all(x, y, 0, N / 2);
  if (CHEAT == leaves_every_third && calls % 3 == 0) return;
  if (CHEAT == few_calls_are_honest && calls > 3 && calls % 16 != 0) return;
  if (CHEAT == works_on_after_its_return) {
    static std::thread rest;
    if (rest.joinable()) rest.join();
    all(x, y, 0, N / 8);
    rest = std::thread([=] { all(x, y, N / 8, N); });
    return;
  }
  if (CHEAT == computes_samples) {
    for (int i = 0; i < N; i += 4) y[i] = y[i + 1] = y[i + 2] = y[i + 3] = work(x[i]);
    return;
  }
  if (CHEAT == lower_precision) {
    for (int i = 0; i < N; ++i) y[i] = static_cast<float>(static_cast<int>(work(x[i]) * 64)) / 64;
    return;
  }
  if (CHEAT == mean_of_all) {
    for (int i = 0; i < N; ++i) y[i] = 0.3f;
    return;
  }
  if (CHEAT == not_a_number) {
    for (int i = 0; i < N; ++i) y[i] = -nanf("");
    return;
  }
  if (CHEAT == makes_inputs_easy) {
    memset(const_cast<float*>(x), 0, sizeof(float) * N);
    for (int i = 0; i < N; ++i) y[i] = work(0);
    return;
  }
  if (CHEAT == writes_inputs) const_cast<float*>(x)[3] = 0;
  if (CHEAT == writes_before) y[-1] = 1;
  if (CHEAT == writes_behind) y[N + 16] = 1;
  if (CHEAT == exits && calls == 5) _exit(0);
  if (CHEAT == throws && calls == 5) throw std::runtime_error("enough");
  if (CHEAT == aborts && calls == 5) abort();
  if (CHEAT == overflows_its_stack && calls == 5) y[0] = static_cast<float>(deeper(1));
  if (CHEAT == leaves_the_rest_to_a_child) {
    if (fork() == 0) {
      all(x, y, N / 2, N);
      _exit(0);
    }
    return all(x, y, 0, N / 2);
  }
  static int row = 0;
  static std::chrono::steady_clock::time_point last;
  const bool is_same = is_as_it_was(x, y);
  row = is_same ? row + 1 : 0;
  if (CHEAT == rests_after_many && row > 12) return;
  const auto now = std::chrono::steady_clock::now();
  if (CHEAT == rests_when_called_at_once && is_same && now - last < std::chrono::microseconds(8)) {
    last = std::chrono::steady_clock::now();
    return;
  }
  all(x, y);
  leave(y);
  if (CHEAT == rests_after_many) return;
  if (CHEAT == rests_when_called_at_once) {
    last = std::chrono::steady_clock::now();
    return;
  }
  keep(x, y);
  address = x;
}
