#include "evaluator/cuda/launch/planned_map.h"

#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "search/element_type.h"

namespace nightshift::evaluator::cuda {
namespace {

// What the driver bears (cuTensorMapEncodeTiled, without interleaving).
constexpr double kMostExtent = 4294967296;
constexpr double kMostBox = 256;
constexpr std::uint64_t kPitchEnd = std::uint64_t{1} << 40;  // bytes
constexpr std::uint64_t kGranularity = 16;                   // bytes, of pitches and the inner box

std::string part(const char* name, std::size_t dimension) {
  return std::string(name) + "[" + std::to_string(dimension) + "]";
}

class MapPlanner {
 public:
  MapPlanner(const search::TensorMap& map, const search::Argument& argument, std::uint64_t elements,
             const PlanReader& reader)
      : map_(map), argument_(argument), elements_(elements), reader_(reader) {
    planned_.name = map.name;
    planned_.argument = map.argument;
    planned_.type = argument.type;
  }

  PlannedMap plan() {
    if (map_.extent.empty() || map_.box.size() != map_.extent.size()) fail("has no dimensions");
    for (std::size_t d = 0; d < map_.extent.size(); ++d) {
      planned_.extent.push_back(
          reader_.whole(map_.extent[d], what_ + part("extent", d), 1, kMostExtent));
      planned_.box.push_back(reader_.count(map_.box[d], what_ + part("box", d), 1, kMostBox));
    }
    plan_pitches();
    planned_.swizzle = one_of(map_.swizzle, "swizzle", {0, 32, 64, 128});
    planned_.l2_promotion = one_of(map_.l2_promotion, "l2_promotion", {0, 64, 128, 256});
    check_box();
    return std::move(planned_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error(what_ + why); }

  // A map that reaches beyond its vector is refused before its next pitch is made, so that no
  // product overflows.
  void plan_pitches() {
    std::uint64_t pitch = 1;
    std::uint64_t reach = 0;  // from the first element to the last one so far
    for (std::size_t d = 0; d < planned_.extent.size(); ++d) {
      const std::uint64_t steps = planned_.extent[d] - 1;
      if (d > 0) planned_.pitch_bytes.push_back(pitch_bytes(d, pitch));
      if (elements_ == 0 || steps > (elements_ - 1 - reach) / pitch) {
        fail("reaches beyond argument '" + argument_.name + "', which has " +
             std::to_string(elements_) + " elements");
      }
      reach += steps * pitch;
      pitch *= planned_.extent[d];
    }
  }

  // `pitch` is that of a dense tensor, in elements, and becomes the one that the file gives.
  std::uint64_t pitch_bytes(std::size_t dimension, std::uint64_t& pitch) const {
    const std::uint64_t size = search::bytes_of(planned_.type);
    const std::string what = what_ + part("pitch", dimension - 1);
    if (!map_.pitch.empty()) {
      const std::uint64_t most = (kPitchEnd - 1) / size;
      pitch = reader_.whole(map_.pitch.at(dimension - 1), what, 1, static_cast<double>(most));
    }
    const std::uint64_t bytes = pitch * size;
    if (bytes % kGranularity != 0 || bytes >= kPitchEnd) {
      throw std::runtime_error(what + " is " + std::to_string(bytes) +
                               " bytes, not a multiple of 16 below 2^40");
    }
    return bytes;
  }

  std::uint32_t one_of(const search::Expression& expression, const char* name,
                       std::initializer_list<std::uint32_t> known) const {
    const double value = reader_.number(expression, what_ + name);
    std::string words;
    for (const std::uint32_t bytes : known) {
      if (value == bytes) return bytes;
      const bool last = bytes == *(known.end() - 1);
      words += (words.empty() ? "" : last ? " or " : ", ") + std::to_string(bytes);
    }
    throw std::runtime_error(what_ + name + ", '" + expression.text() + "', is " + text_of(value) +
                             ", not " + words);
  }

  void check_box() const {
    const std::uint64_t inner = planned_.box.front() * search::bytes_of(planned_.type);
    if (inner % kGranularity != 0) {
      fail("box[0] is " + std::to_string(inner) + " bytes, not a multiple of 16");
    }
    if (planned_.swizzle != 0 && inner > planned_.swizzle) {
      fail("box[0] is " + std::to_string(inner) + " bytes, more than its swizzle of " +
           std::to_string(planned_.swizzle));
    }
  }

  const search::TensorMap& map_;
  const search::Argument& argument_;
  const std::uint64_t elements_;
  const PlanReader& reader_;
  const std::string what_ = "tensor map '" + map_.name + "': ";
  PlannedMap planned_;
};

template <class Number>
std::string list_of(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

}  // namespace

PlannedMap plan_map(const search::CudaBackend& cuda, const search::TensorMap& map,
                    const std::vector<ArgumentShape>& shapes, const PlanReader& reader) {
  return MapPlanner(map, cuda.arguments.at(map.argument), shapes.at(map.argument).elements, reader)
      .plan();
}

std::string text_of(const PlannedMap& map) {
  return std::to_string(map.argument) + "[" + std::string(search::name_of(map.type)) + ";" +
         list_of(map.extent) + ";" + list_of(map.pitch_bytes) + ";" + list_of(map.box) + ";" +
         std::to_string(map.swizzle) + ";" + std::to_string(map.l2_promotion) + "]";
}

}  // namespace nightshift::evaluator::cuda
