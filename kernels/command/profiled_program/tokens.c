/* Counts the tokens of a text, some kinds of which are rare and dear. The text is made from a seed and
   MIX, one of "code" (mostly names and numbers), "prose" (mostly words and blanks) and "data" (mostly
   numbers and quotes). Prints the time of several passes over it; exits with 1 when they disagree. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kLength = 1 << 20, kPasses = 7, kKinds = 8 };

static char text[kLength];

static uint32_t next_random(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void make_text(const char* alphabet) {
  uint32_t state = 7;
  const uint32_t letters = (uint32_t)strlen(alphabet);
  for (int i = 0; i < kLength; ++i) text[i] = alphabet[next_random(&state) % letters];
}

/* A call that is not worth inlining where it is rare. */
static uint32_t hash_quoted(const char** place, const char* end) {
  uint32_t hash = 2166136261u;
  for (++*place; *place < end && **place != '"'; ++*place) hash = (hash ^ (uint8_t) * *place) * 16777619u;
  return hash;
}

static uint32_t pass(uint32_t* counts) {
  uint32_t sum = 0;
  for (const char *at = text, *end = text + kLength; at < end; ++at) {
    const char c = *at;
    if (c == '"') {
      sum += hash_quoted(&at, end);
      ++counts[0];
    } else if (c >= '0' && c <= '9') {
      sum = sum * 10 + (uint32_t)(c - '0');
      ++counts[1];
    } else if (c >= 'a' && c <= 'z') {
      sum = (sum << 3 | sum >> 29) ^ (uint8_t)c;
      ++counts[2];
    } else if (c >= 'A' && c <= 'Z') {
      sum += (uint32_t)(c - 'A') * 31u;
      ++counts[3];
    } else if (c == ' ') {
      ++counts[4];
    } else if (c == '\n') {
      sum ^= sum >> 15;
      ++counts[5];
    } else if (strchr("+-*/=<>", c) != NULL) {
      sum = sum * 33u + (uint8_t)c;
      ++counts[6];
    } else {
      ++counts[7];
    }
  }
  return sum;
}

int main(int argc, char** argv) {
  const char* mix = argc > 1 ? argv[1] : "code";
  if (strcmp(mix, "prose") == 0) {
    make_text("eeeetttaaooiinnsshhrrdlu      ,.T\n");
  } else if (strcmp(mix, "data") == 0) {
    make_text("00112233445566778899,,,,,\"\n");
  } else {
    make_text("abcdefghijklmnop_ABC0123 =+-(;){}   \n");
  }
  uint32_t first = 0;
  for (int i = 0; i < kPasses; ++i) {
    uint32_t counts[kKinds] = {0};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const uint32_t sum = pass(counts);
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint32_t all = sum;
    for (int k = 0; k < kKinds; ++k) all = all * 31u + counts[k];
    if (i == 0) first = all;
    if (all != first) return 1;
    printf("%u tokens in %.4f ms\n", counts[2] + counts[1], (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-6);
  }
  return 0;
}
