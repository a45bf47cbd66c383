// What an evaluator does on the device besides running the candidate: fills inputs, compares
// outputs with the expected ones, and notices what was written where nothing should be.
//
// No shared memory, no barriers, nothing but threads that each do their share of a range: the same
// text is compiled by NVRTC for the device and by a C++ compiler for tests. Every kernel takes its
// grid as it comes.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// The order of search::ElementType.
enum Type {
  kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64,
  kFloat32, kFloat64, kFloat16, kBfloat16, kFloat8E4M3, kFloat8E5M2
};
// The order of search::Argument::Fill.
enum Fill { kConstant, kUniform, kNormal, kSequence, kBits };

__device__ inline u64 first_of_thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline u64 threads_in_grid() { return (u64)gridDim.x * blockDim.x; }

__device__ inline double infinity() { return 1e308 * 10.0; }

// --- Small floating types: sign, `exponent_bits`, `mantissa_bits` ---

struct Format {
  int exponent_bits, mantissa_bits;
  bool infinities;  // the largest exponent is for infinity and NaN; else only all ones are a NaN
};
__device__ inline Format format_of(int type) {
  Format format = {5, 10, true};  // float16
  if (type == kBfloat16) { format.exponent_bits = 8; format.mantissa_bits = 7; }
  if (type == kFloat8E5M2) format.mantissa_bits = 2;
  if (type == kFloat8E4M3) { format.exponent_bits = 4; format.mantissa_bits = 3; format.infinities = false; }
  return format;
}

// To nearest, ties to even; beyond the largest number infinity, or where there is none the largest.
__device__ inline u32 encode(double number, Format f) {
  const u32 mantissa_mask = (1u << f.mantissa_bits) - 1;
  const u32 exponent_mask = (1u << f.exponent_bits) - 1;
  const int bias = (int)(exponent_mask >> 1);
  const u32 sign = (signbit(number) ? 1u : 0u) << (f.mantissa_bits + f.exponent_bits);
  const u32 infinity = exponent_mask << f.mantissa_bits;
  const u32 not_a_number = f.infinities ? infinity | ((mantissa_mask + 1) >> 1) : infinity | mantissa_mask;
  const u32 beyond = f.infinities ? infinity : infinity | (mantissa_mask - 1);
  if (isnan(number)) return sign | not_a_number;
  const double size = fabs(number);
  if (size == 0) return sign;
  if (isinf(size)) return sign | beyond;
  int exponent = 0;
  frexp(size, &exponent);
  --exponent;  // size = 1.xxx * 2^exponent
  if (exponent < 1 - bias) exponent = 1 - bias;
  const double steps = rint(ldexp(size, f.mantissa_bits - exponent));  // in units of the last place
  // Biased exponent and mantissa as one number: rounding up carries from one to the other.
  const double whole = steps + ldexp((double)(exponent - 1 + bias), f.mantissa_bits);
  const u32 bits = whole >= (double)beyond + 1 ? beyond : (u32)whole;
  return sign | bits;
}

__device__ inline bool is_small(int type) { return type >= kFloat16; }
__device__ inline bool is_floating(int type) { return type >= kFloat32; }
__device__ constexpr int bytes_of(int type) {
  switch (type) {
    case kInt8: case kUint8: case kFloat8E4M3: case kFloat8E5M2: return 1;
    case kInt16: case kUint16: case kFloat16: case kBfloat16: return 2;
    case kInt64: case kUint64: case kFloat64: return 8;
    default: return 4;
  }
}

__device__ inline u64 raw_at(const void* data, int type, u64 i) {
  switch (bytes_of(type)) {
    case 1: return ((const u8*)data)[i];
    case 2: return ((const u16*)data)[i];
    case 4: return ((const u32*)data)[i];
    default: return ((const u64*)data)[i];
  }
}

// A number whose float32 has these bits.
__device__ inline float float_of_bits(u32 bits) {
  union { u32 bits; float number; } both = {bits};
  return both.number;
}
__device__ inline double double_of_bits(u64 bits) {
  union { u64 bits; double number; } both = {bits};
  return both.number;
}
// The bits of a smaller float in the places of a float32 are that number divided by two to the
// difference of their biases, subnormal ones included. No branches: answers are read by the hundred
// million.
__device__ inline float float16_of_bits(u32 bits) {
  const u32 sign = (bits & 0x8000u) << 16;
  const u32 size = (bits & 0x7fffu) << 13;
  const bool finite = (bits & 0x7c00u) != 0x7c00u;
  return finite ? float_of_bits(sign | size) * 0x1p112f : float_of_bits(sign | 0x7f800000u | size);
}
__device__ inline float float8e4m3_of_bits(u32 bits) {  // no infinities, one NaN
  const u32 sign = (bits & 0x80u) << 24;
  const u32 size = (bits & 0x7fu) << 20;
  const bool number = (bits & 0x7fu) != 0x7fu;
  return number ? float_of_bits(sign | size) * 0x1p120f : float_of_bits(0x7fc00000u);
}

// The number that an element of these bits is; bits beyond the type's do not count.
__device__ inline double number_of(u64 bits, int type) {
  switch (type) {
    case kInt8: return (signed char)bits;
    case kInt16: return (short)bits;
    case kInt32: return (int)bits;
    case kInt64: return (double)(i64)bits;
    case kUint8: return (u8)bits;
    case kUint16: return (u16)bits;
    case kUint32: return (u32)bits;
    case kUint64: return (double)bits;
    case kFloat32: return float_of_bits((u32)bits);
    case kFloat64: return double_of_bits(bits);
    case kBfloat16: return float_of_bits((u32)bits << 16);
    case kFloat16: return float16_of_bits((u32)bits);
    case kFloat8E5M2: return float16_of_bits((u32)bits << 8);
    default: return float8e4m3_of_bits((u32)bits);
  }
}
__device__ inline double number_at(const void* data, int type, u64 i) {
  return number_of(raw_at(data, type, i), type);
}

template <class T>
__device__ inline T clamped(double number, double least, double most) {
  const double rounded = rint(number);
  if (!(rounded > least)) return (T)least;  // NaN as well
  return rounded < most ? (T)rounded : (T)most;
}

__device__ inline void store_at(void* data, int type, u64 i, double number) {
  switch (type) {
    case kInt8: ((signed char*)data)[i] = clamped<signed char>(number, -128.0, 127.0); break;
    case kInt16: ((short*)data)[i] = clamped<short>(number, -32768.0, 32767.0); break;
    case kInt32: ((int*)data)[i] = clamped<int>(number, -2147483648.0, 2147483647.0); break;
    case kInt64: ((i64*)data)[i] = clamped<i64>(number, -9.2e18, 9.2e18); break;
    case kUint8: ((u8*)data)[i] = clamped<u8>(number, 0.0, 255.0); break;
    case kUint16: ((u16*)data)[i] = clamped<u16>(number, 0.0, 65535.0); break;
    case kUint32: ((u32*)data)[i] = clamped<u32>(number, 0.0, 4294967295.0); break;
    case kUint64: ((u64*)data)[i] = clamped<u64>(number, 0.0, 1.8e19); break;
    case kFloat32: ((float*)data)[i] = (float)number; break;
    case kFloat64: ((double*)data)[i] = number; break;
    case kFloat16: case kBfloat16: ((u16*)data)[i] = (u16)encode(number, format_of(type)); break;
    default: ((u8*)data)[i] = (u8)encode(number, format_of(type)); break;
  }
}

// --- Inputs ---

// SplitMix64 (Steele, Lea, Flood 2014) used as a counter-based generator: element i of a stream is a
// function of seed and i alone, whatever the grid.
__device__ inline u64 mixed(u64 z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
__device__ inline double uniform_of(u64 bits) { return (double)(bits >> 11) * 0x1p-53; }

__device__ inline double drawn(int type, int fill, double low, double high, u64 seed, u64 i) {
  const u64 bits = mixed(mixed(seed) ^ i);
  switch (fill) {
    case kConstant: return low;
    case kSequence: return (double)i;
    case kNormal: {  // Box and Muller (1958)
      const double radius = sqrt(-2.0 * log(1.0 - uniform_of(bits)));
      return low + high * radius * cos(6.283185307179586 * uniform_of(mixed(bits)));
    }
    default:
      return is_floating(type) ? low + (high - low) * uniform_of(bits)
                               : floor(low + (high - low + 1.0) * uniform_of(bits));
  }
}

// Element `end_at` is `end`, whatever is drawn; that may be none of them.
extern "C" __global__ void nightshift_fill(void* data, u64 count, int type, int fill, double low,
                                           double high, u64 seed, u64 end_at, double end) {
  for (u64 i = first_of_thread(); i < count; i += threads_in_grid()) {
    if (fill == kBits) {
      const u64 bits = mixed(mixed(seed) ^ i);
      switch (bytes_of(type)) {
        case 1: ((u8*)data)[i] = (u8)bits; break;
        case 2: ((u16*)data)[i] = (u16)bits; break;
        case 4: ((u32*)data)[i] = (u32)bits; break;
        default: ((u64*)data)[i] = bits; break;
      }
    } else {
      store_at(data, type, i, i == end_at ? end : drawn(type, fill, low, high, seed, i));
    }
  }
}

// --- Answers; a thread writes a share to its own place ---

struct NormShare {
  double squares;  // of the finite ones that are smaller than the bound
  u64 numbers;     // that are not NaN
  double largest;  // of those that squares are of
  u64 count, fine; // of these, without zeros; and those of them that are no multiples of the grid
};
extern "C" __global__ void nightshift_norm(const void* data, int type, u64 count, double bound,
                                           double grid, NormShare* shares) {
  NormShare share = {0.0, 0, 0.0, 0, 0};
  for (u64 i = first_of_thread(); i < count; i += threads_in_grid()) {
    const double number = number_at(data, type, i);
    const double size = fabs(number);
    share.numbers += isnan(number) ? 0 : 1;
    if (!(size > 0 && size < bound)) continue;
    share.squares += size * size;
    if (size > share.largest) share.largest = size;
    ++share.count;
    const double steps = grid > 0 ? size / grid : 1.0;  // exact, since the grid is a power of two
    if (steps == 0 || steps != rint(steps)) ++share.fine;
  }
  shares[first_of_thread()] = share;
}

// What is wrong with the elements compared so far; Number is what errors are computed in.
template <class Number>
struct Errors {
  double squares;  // of the errors that are finite
  Number worst;    // error over what is allowed; infinite for a NaN or an infinity out of place
  u64 worst_at;
  u64 wrong;       // elements beyond what is allowed
  u64 sum;         // as of nightshift_checksum
};
typedef Errors<double> ErrorShare;

// An element may be off by element * (|expected| + rms).
struct Gate {
  double element, rms;
};
// Adds an element.
template <class Number>
__device__ inline void add_error(Errors<Number>* errors, Number e, Number g, u64 i, Gate gate) {
  const Number error = fabs(g - e);
  Number allowed = 0;
  if (error < (Number)infinity()) {
    // A sum of products: |expected| + rms may be beyond what Number holds.
    allowed = (Number)gate.element * fabs(e) + (Number)(gate.element * gate.rms);
    errors->squares += (double)error * (double)error;
    // Products, since a division costs more than all the rest.
    if (error > allowed) ++errors->wrong;
    if (!(error > errors->worst * allowed)) return;
  } else {  // NaN and infinities are right where they are expected, and only there
    if (e == g || (isnan(e) && isnan(g))) return;
    ++errors->wrong;
    if (isinf(errors->worst)) return;
  }
  errors->worst = allowed > 0 ? error / allowed : (Number)infinity();
  errors->worst_at = i;
}
// Integers are to be equal to the bit where nothing is allowed.
__device__ inline void add_difference(ErrorShare* share, u64 e, u64 g, u64 i) {
  if (e == g) return;
  ++share->wrong;
  if (isinf(share->worst)) return;
  share->worst = infinity();
  share->worst_at = i;
}
// Of equally bad elements the first counts, however the elements were shared out.
template <class Number>
__device__ inline void add(ErrorShare* to, const Errors<Number>& errors) {
  to->squares += errors.squares;
  to->wrong += errors.wrong;
  to->sum += errors.sum;
  const bool worse = errors.worst > to->worst || (errors.worst == to->worst && errors.worst > 0 &&
                                                  errors.worst_at < to->worst_at);
  if (worse) { to->worst = errors.worst; to->worst_at = errors.worst_at; }
}

// Calls visit(load(i), i) for the thread's share of [0, count), the loads of a batch before what is
// computed of them.
template <int kBatch, class Load, class Visit>
__device__ inline void for_each_in_batches(u64 count, Load load, Visit visit) {
  const u64 step = threads_in_grid();
  u64 i = first_of_thread();
  for (; i + (kBatch - 1) * step < count; i += kBatch * step) {
    decltype(load(i)) loaded[kBatch];
#pragma unroll
    for (int j = 0; j < kBatch; ++j) loaded[j] = load(i + j * step);
#pragma unroll
    for (int j = 0; j < kBatch; ++j) visit(loaded[j], i + j * step);
  }
  for (; i < count; i += step) visit(load(i), i);
}

// What the word of 8 bytes with this index adds to a checksum; of the bytes behind the last whole one
// each counts like a word.
__device__ inline u64 summed(u64 word, u64 index) {
  return mixed(word + index * 0x9e3779b97f4a7c15ull);  // no small multiples of it are close
}
__device__ inline u64 summed_end(const u8* data, u64 bytes) {
  u64 sum = 0;
  for (u64 i = bytes / 8 * 8; i < bytes; ++i) sum += summed(data[i], i);
  return sum;
}

__device__ inline void compare_element(ErrorShare* share, u64 bits, int type, const void* expected,
                                       int expected_type, u64 i, Gate gate) {
  if (is_floating(type) || type != expected_type || gate.element > 0) {
    add_error(share, number_at(expected, expected_type, i), number_of(bits, type), i, gate);
  } else {
    add_difference(share, raw_at(expected, type, i), bits, i);
  }
}
__device__ inline void compare_words(ErrorShare* share, const void* got, int type,
                                     const void* expected, int expected_type, u64 words,
                                     Gate gate) {
  const int width = 8 * bytes_of(type);
  for (u64 w = first_of_thread(); w < words; w += threads_in_grid()) {
    const u64 word = ((const u64*)got)[w];
    share->sum += summed(word, w);
    for (int at = 0; at < 64; at += width) {
      const u64 bits = word << (64 - width - at) >> (64 - width);
      compare_element(share, bits, type, expected, expected_type, (w * 64 + at) / width, gate);
    }
  }
}

// Elements side by side, which are read at once.
template <class Number, int kCount>
struct alignas(16) Group {
  Number at[kCount];
};
// The same for types that are often compared, by the hundred million elements. Number is the type of
// what is expected, and holds all that kType can be.
template <int kType, class Number>
__device__ inline void compare_floats(ErrorShare* share, const void* got, const void* expected,
                                      u64 words, Gate gate) {
  constexpr int kCount = 8 / bytes_of(kType);
  typedef Group<Number, kCount> Expectation;
  struct Loaded {
    u64 got;
    Expectation expected;
  };
  Errors<Number> errors = {0.0, 0, 0, 0, 0};
  for_each_in_batches<4>(
      words,
      [=](u64 w) {
        const Loaded loaded = {((const u64*)got)[w], ((const Expectation*)expected)[w]};
        return loaded;
      },
      [&](const Loaded& loaded, u64 w) {
        errors.sum += summed(loaded.got, w);
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
          const Number g = (Number)number_of(loaded.got >> (64 / kCount * j), kType);
          add_error(&errors, loaded.expected.at[j], g, w * kCount + j, gate);
        }
      });
  add(share, errors);
}
extern "C" __global__ void nightshift_compare(const void* got, int type, const void* expected,
                                              int expected_type, u64 count, double element_gate,
                                              double rms, ErrorShare* shares) {
  ErrorShare share = {0.0, 0.0, 0, 0, 0};
  const Gate gate = {element_gate, rms};
  const u64 bytes = count * bytes_of(type);
  const u64 words = bytes / 8;
  if (type == kBfloat16 && expected_type == kFloat32) {
    compare_floats<kBfloat16, float>(&share, got, expected, words, gate);
  } else if (type == kFloat16 && expected_type == kFloat32) {
    compare_floats<kFloat16, float>(&share, got, expected, words, gate);
  } else if (type == kFloat32 && expected_type == kFloat64) {
    compare_floats<kFloat32, double>(&share, got, expected, words, gate);
  } else {
    compare_words(&share, got, type, expected, expected_type, words, gate);
  }
  if (first_of_thread() == 0) {
    for (u64 i = words * 8 / bytes_of(type); i < count; ++i) {
      compare_element(&share, raw_at(got, type, i), type, expected, expected_type, i, gate);
    }
    share.sum += summed_end((const u8*)got, bytes);
  }
  shares[first_of_thread()] = share;
}

// What an element is each of whose bytes is `pattern`.
__device__ inline u64 raw_of(int pattern, int type) {
  return pattern * 0x0101010101010101ull >> (64 - 8 * bytes_of(type));
}
// Elements of an answer that are `left` in each byte where NaN is expected that is not `nothing` in each.
extern "C" __global__ void nightshift_left(const void* got, int type, const void* expected,
                                           int expected_type, u64 count, int left, int nothing,
                                           ErrorShare* shares) {
  ErrorShare share = {0.0, 0.0, 0, 0, 0};
  const u64 is_left = raw_of(left, type), is_nothing = raw_of(nothing, expected_type);
  for (u64 i = first_of_thread(); i < count; i += threads_in_grid()) {
    if (raw_at(got, type, i) != is_left) continue;
    const u64 bits = raw_at(expected, expected_type, i);
    if (bits != is_nothing && isnan(number_of(bits, expected_type))) add_difference(&share, 1, 0, i);
  }
  shares[first_of_thread()] = share;
}

// Equal bytes have equal sums, and others hardly ever.
extern "C" __global__ void nightshift_checksum(const u8* data, u64 bytes, u64* shares) {
  u64 sum = 0;
  for_each_in_batches<8>(
      bytes / 8, [=](u64 i) { return ((const u64*)data)[i]; },
      [&](u64 word, u64 i) { sum += summed(word, i); });
  if (first_of_thread() == 0) sum += summed_end(data, bytes);
  shares[first_of_thread()] = sum;
}

// --- Small elements of an answer (small_elements.h) ---

// Which elements of an answer are looked at, by the size of what is expected; of these, which count.
struct SmallElements {
  double least, below;          // sizes: from the first on, smaller than the second
  double least_lost, most_lost; // error over element, towards zero, of one that is lost
  int bits;                     // significant ones that a lost element has at least
  double own, beyond;           // error beside `own` times the element's size, from which on it counts
};
struct SmallShare {
  u64 elements, lost, beyond;
  double largest;  // size of the largest that is lost
  u64 largest_at;
  double squares;  // of the errors that are finite
};
// What follows the last bit of a number that is set takes no part in its digits.
__device__ inline int significant_bits(double number) {
  union { double number; u64 bits; } both = {number};
  u64 mantissa = (both.bits & 0xfffffffffffffull) | 0x10000000000000ull;
  int bits = 53;
  for (; mantissa % 2 == 0; mantissa /= 2) --bits;
  return bits;
}
__device__ inline void add_small(SmallShare* share, double e, double g, u64 i, SmallElements which) {
  const double size = fabs(e), error = fabs(g - e);
  if (!(size >= which.least && size < which.below)) return;
  ++share->elements;
  if (isfinite(error)) share->squares += error * error;
  if (error - which.own * size >= which.beyond) ++share->beyond;
  const bool towards_zero = (g < e) == (e > 0);
  if (!towards_zero || !(error >= which.least_lost * size && error <= which.most_lost * size)) return;
  if (which.bits > 0 && significant_bits(e) < which.bits) return;
  ++share->lost;
  if (size <= share->largest) return;
  share->largest = size;
  share->largest_at = i;
}
extern "C" __global__ void nightshift_small(const void* got, int type, const void* expected,
                                            int expected_type, u64 count, SmallElements which,
                                            SmallShare* shares) {
  SmallShare share = {0, 0, 0, 0.0, 0, 0.0};
  struct Loaded {
    u64 expected, got;
  };
  for_each_in_batches<4>(
      count,
      [=](u64 i) {
        const Loaded loaded = {raw_at(expected, expected_type, i), raw_at(got, type, i)};
        return loaded;
      },
      [&](const Loaded& loaded, u64 i) {
        add_small(&share, number_of(loaded.expected, expected_type), number_of(loaded.got, type), i,
                  which);
      });
  shares[first_of_thread()] = share;
}

// --- Elements that are asked on other draws (cuda_draws.h) ---

struct PickedElement {
  u64 at, asked;
};
// Of each thread's elements the one whose error is largest among those that are off by `least` of
// their own size or more; the first where there is none.
extern "C" __global__ void nightshift_pick(const void* got, int type, const void* expected,
                                           int expected_type, u64 count, double least,
                                           PickedElement* picked) {
  PickedElement found = {first_of_thread(), 0};
  double largest = 0;
  for (u64 i = first_of_thread(); i < count; i += threads_in_grid()) {
    const double e = number_at(expected, expected_type, i);
    const double error = fabs(number_at(got, type, i) - e);
    if (!(error > largest && error >= least * fabs(e)) || isinf(error)) continue;
    largest = error;
    found.at = i;
    found.asked = 1;
  }
  picked[first_of_thread()] = found;
}
extern "C" __global__ void nightshift_gather(const void* data, int type, const PickedElement* picked,
                                             u64 count, double* numbers) {
  for (u64 i = first_of_thread(); i < count; i += threads_in_grid()) {
    numbers[i] = number_at(data, type, picked[i].at);
  }
}

// --- Shares of many threads become those of fewer, and the host adds these up ---

__device__ inline void add(NormShare* to, const NormShare& share) {
  to->squares += share.squares;
  to->numbers += share.numbers;
  if (share.largest > to->largest) to->largest = share.largest;
  to->count += share.count;
  to->fine += share.fine;
}
__device__ inline void add(u64* to, const u64& share) { *to += share; }
// Of equally large elements the first counts, however the elements were shared out.
__device__ inline void add(SmallShare* to, const SmallShare& share) {
  to->elements += share.elements;
  to->lost += share.lost;
  to->beyond += share.beyond;
  to->squares += share.squares;
  const bool larger = share.largest > to->largest ||
                      (share.largest == to->largest && share.lost > 0 &&
                       share.largest_at < to->largest_at);
  if (larger) { to->largest = share.largest; to->largest_at = share.largest_at; }
}

template <class Share>
__device__ inline void fold(const Share* shares, u64 count, Share* folded) {
  const u64 first = first_of_thread();
  if (first >= count) return;
  Share sum = shares[first];
  for (u64 i = first + threads_in_grid(); i < count; i += threads_in_grid()) add(&sum, shares[i]);
  folded[first] = sum;
}
extern "C" __global__ void nightshift_fold_norms(const NormShare* shares, u64 count,
                                                 NormShare* folded) {
  fold(shares, count, folded);
}
extern "C" __global__ void nightshift_fold_errors(const ErrorShare* shares, u64 count,
                                                  ErrorShare* folded) {
  fold(shares, count, folded);
}
extern "C" __global__ void nightshift_fold_small(const SmallShare* shares, u64 count,
                                                 SmallShare* folded) {
  fold(shares, count, folded);
}
extern "C" __global__ void nightshift_fold_sums(const u64* shares, u64 count, u64* folded) {
  fold(shares, count, folded);
}

// How many bytes of some areas of `bytes` each are not `pattern`.
struct Areas {
  const u8* at[32];
};
extern "C" __global__ void nightshift_differences(Areas areas, u64 count, u64 bytes, int pattern,
                                                  u64* shares) {
  u64 wrong = 0;
  for (u64 i = first_of_thread(); i < count * bytes; i += threads_in_grid()) {
    if (areas.at[i / bytes][i % bytes] != pattern) ++wrong;
  }
  shares[first_of_thread()] = wrong;
}

extern "C" __global__ void nightshift_read(const void* data, int type, u64 at, double* number) {
  if (first_of_thread() == 0) *number = number_at(data, type, at);
}

extern "C" __global__ void nightshift_convert(void* to, int to_type, const void* from,
                                              int from_type, u64 count) {
  for (u64 i = first_of_thread(); i < count; i += threads_in_grid()) {
    store_at(to, to_type, i, number_at(from, from_type, i));
  }
}
