/* Merge sort that leaves runs of up to CUTOFF elements to insertion sort. Sorts the same ELEMENTS
   numbers several times and prints a line for each; exits with 1 when they are not in order. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifndef ELEMENTS
#define ELEMENTS 400000
#endif
#ifndef BRANCHLESS
#define BRANCHLESS 0
#endif
enum { kRepetitions = 7 };

static uint32_t numbers[ELEMENTS], spare[ELEMENTS];

static void insertion_sort(uint32_t* run, int count) {
  for (int i = 1; i < count; ++i) {
    const uint32_t value = run[i];
    int hole = i;
    for (; hole > 0 && run[hole - 1] > value; --hole) run[hole] = run[hole - 1];
    run[hole] = value;
  }
}

static void merge_sort(uint32_t* run, int count) {
  if (count <= CUTOFF) {
    insertion_sort(run, count);
    return;
  }
  const int half = count / 2;
  merge_sort(run, half);
  merge_sort(run + half, count - half);
  memcpy(spare, run, (size_t)half * sizeof *run);
  const uint32_t *left = spare, *left_end = spare + half;
  const uint32_t *right = run + half, *right_end = run + count;
  while (left < left_end && right < right_end) {
#if BRANCHLESS
    const int take_right = *right < *left;
    *run++ = take_right ? *right : *left;
    right += take_right;
    left += !take_right;
#else
    if (*right < *left) {
      *run++ = *right++;
    } else {
      *run++ = *left++;
    }
#endif
  }
  memcpy(run, left, (size_t)(left_end - left) * sizeof *run);
}

int main(void) {
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    uint32_t state = 1;
    for (int i = 0; i < ELEMENTS; ++i) numbers[i] = state = state * 1664525u + 1013904223u;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    merge_sort(numbers, ELEMENTS);
    clock_gettime(CLOCK_MONOTONIC, &end);
    for (int i = 1; i < ELEMENTS; ++i) {
      if (numbers[i - 1] > numbers[i]) return 1;
    }
    printf("sorted in %.4f ms\n",
           (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6);
  }
  return 0;
}
