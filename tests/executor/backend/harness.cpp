// Blocks whose margins are guarded, and kernels of a backend that is named.
#include "tests/executor/backend/harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

#include "executor/backend/element.hpp"

namespace cnnplan::test {
namespace {

// Every precision holds it exactly.
constexpr double untouched = -992.0;

Box widened(const Box& box, std::int64_t margin) {
  Box wide = box;
  for (Dim dim : {Dim::n, Dim::h, Dim::w}) {
    wide[dim] = {box[dim].begin - margin, box[dim].end + margin};
  }
  return wide;
}

Box box_at(const Shape& shape, std::int64_t origin) {
  Box box;
  for (Dim dim : all_dims) box[dim] = {origin, origin + shape[dim]};
  return box;
}

// Operands go to the device and come back with their margins. An operand that is named twice is one
// block of memory.
void run_on_device(Backend& backend,
                   Kernel& kernel,
                   const StepState& state,
                   const std::vector<Block*>& operands) {
  Device& device = backend.device();
  std::map<Block*, MemoryBlock> memory;
  std::vector<TensorView> views;
  for (Block* operand : operands) {
    const std::span<std::byte> bytes = operand->device_bytes();
    const auto size = static_cast<std::int64_t>(bytes.size());
    const auto [block, is_new] = memory.try_emplace(operand);
    if (is_new) {
      block->second = device.allocate(size);
      device.copy_to_device(block->second.data(), bytes.data(), size);
    }
    views.push_back(operand->view_in(block->second.data()));
  }
  device.synchronize();
  backend.begin_step(state);
  kernel.run(views, state);
  for (const auto& [operand, block] : memory) {
    const std::span<std::byte> bytes = operand->device_bytes();
    device.copy_to_host(bytes.data(), block.data(), static_cast<std::int64_t>(bytes.size()));
  }
  device.synchronize();
}

}  // namespace

Element element_of(Precision precision) {
  return buffer_element(activation_element(precision));
}

Element parameter_of(Precision precision) {
  return buffer_element(parameter_element(precision));
}

Block::Block(Element element, const Box& outer, const Box& inner)
    : element_(element),
      outer_(outer),
      inner_(inner),
      bytes_(static_cast<std::size_t>((volume(outer) + 1) * bytes_of(element))) {
  for (std::int64_t i = 0; i < volume(outer); ++i) store(i, untouched);
}

Block Block::dense(Element element, const Shape& shape) {
  return at(element, whole(shape));
}

Block Block::pitched(Element element, const Shape& shape, std::int64_t margin) {
  constexpr std::int64_t origin = 5;
  const Box inner = box_at(shape, origin);
  return {element, widened(inner, margin), inner};
}

Block Block::at(Element element, const Box& box) {
  return {element, box, box};
}

Block flat(Element element, std::int64_t elements) {
  return Block::dense(element, {{1, 1, 1, 1, elements}});
}

// Data begins after one element of its memory, because kernels must not count on aligned operands.
std::byte* Block::data() {
  return bytes_.data() + bytes_of(element_);
}
const std::byte* Block::data() const {
  return bytes_.data() + bytes_of(element_);
}

double Block::load(std::int64_t offset) const {
  const std::byte* at = data() + offset * bytes_of(element_);
  if (element_ == Element::int32) return *reinterpret_cast<const std::int32_t*>(at);
  return with_type_of(element_type(element_), [at]<typename T>(T) {
    return static_cast<double>(*reinterpret_cast<const T*>(at));
  });
}

void Block::store(std::int64_t offset, double value) {
  std::byte* at = data() + offset * bytes_of(element_);
  if (element_ == Element::int32) {
    *reinterpret_cast<std::int32_t*>(at) = static_cast<std::int32_t>(value);
    return;
  }
  with_type_of(element_type(element_),
               [&]<typename T>(T) { *reinterpret_cast<T*>(at) = stored<T>(value); });
}

// Calls f(offset in the outer box, whether it is inside) in the order of memory.
template <typename F>
void Block::for_each_offset(F f) const {
  const Shape shape = shape_of(outer_);
  for (std::int64_t i = 0; i < volume(shape); ++i) {
    std::int64_t rest = i;
    bool inside = true;
    for (Dim dim : {Dim::c, Dim::w, Dim::h, Dim::d, Dim::n}) {
      const std::int64_t index = outer_[dim].begin + rest % shape[dim];
      inside = inside && index >= inner_[dim].begin && index < inner_[dim].end;
      rest /= shape[dim];
    }
    f(i, inside);
  }
}

Block& Block::fill(const Values& values) {
  if (static_cast<std::int64_t>(values.size()) != volume(inner_)) {
    throw std::logic_error("wrong number of values");
  }
  auto next = values.begin();
  for_each_offset([&](std::int64_t i, bool inside) {
    if (inside) store(i, *next++);
  });
  return *this;
}

Values Block::values() const {
  Values values;
  for_each_offset([&](std::int64_t i, bool inside) {
    if (inside) values.push_back(load(i));
  });
  return values;
}

TensorView Block::view() {
  return view_of(data(), outer_, inner_, bytes_of(element_));
}

TensorView Block::view_in(void* memory) const {
  return view_of(memory, outer_, inner_, bytes_of(element_));
}

std::span<std::byte> Block::device_bytes() {
  return {data(), static_cast<std::size_t>(volume(outer_) * bytes_of(element_))};
}

bool Block::margin_is_untouched() const {
  bool same = true;
  for_each_offset([&](std::int64_t i, bool inside) {
    if (!inside) same = same && load(i) == untouched;
  });
  return same;
}

StoredWeight::StoredWeight(const Candidate& candidate, const KernelSpec& convolution)
    : spec_(convolution), backend_(prepared(candidate.backend)), block_([&] {
        spec_.precision = candidate.precision;
        return flat(parameter_of(candidate.precision), backend_.weight_elements(spec_));
      }()) {}

Block StoredWeight::copy() const {
  const Values values = block_.values();
  return flat(element_of(spec_.precision), static_cast<std::int64_t>(values.size())).fill(values);
}

StoredWeight& StoredWeight::import_plain(const Values& plain) {
  import_weight(backend_, spec_, plain, block_.view().data);
  return *this;
}

Values StoredWeight::export_plain() {
  Values plain(static_cast<std::size_t>(weight_volume(spec_)));
  export_weight(backend_, spec_, block_.view().data, plain);
  return plain;
}

void run(const Candidate& candidate,
         KernelSpec spec,
         const KernelConstants& constants,
         const StepState& state,
         const std::vector<Block*>& operands) {
  spec.precision = candidate.precision;
  Backend& backend = prepared(candidate.backend);
  const auto kernel = backend.make_kernel(spec, constants, {});
  if (backend.device().is_host()) {
    std::vector<TensorView> views;
    for (Block* operand : operands) views.push_back(operand->view());
    kernel->run(views, state);
  } else {
    run_on_device(backend, *kernel, state, operands);
  }
}

double tolerance_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return 1e-5;
    case Precision::tf32:
    case Precision::fp16:
      return 3e-3;
    case Precision::bf16:
      return 1e-2;
    case Precision::fp64:
      return 1e-12;
  }
  throw std::logic_error("unknown precision");
}

double difference(const Values& actual, const Values& expected) {
  if (actual.size() != expected.size()) return INFINITY;
  double scale = 1.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    scale = std::max(scale, std::abs(expected[i]));
    const double distance = std::abs(actual[i] - expected[i]);
    if (!(distance <= largest)) largest = distance;
  }
  return largest / scale;
}

std::int64_t Random::integer(std::int64_t first, std::int64_t last) {
  return std::uniform_int_distribution<std::int64_t>(first, last)(engine_);
}

Values Random::values(std::int64_t count) {
  std::normal_distribution<double> normal;
  Values values(static_cast<std::size_t>(count));
  // The numbers fit both 16-bit formats, so all sides of a comparison start from equal numbers.
  for (double& value : values) {
    const auto half = static_cast<float>(stored<Float16>(normal(engine_)));
    value = static_cast<double>(BFloat16(half));
  }
  return values;
}

Values Random::floats(std::int64_t count) {
  std::normal_distribution<float> normal;
  Values values(static_cast<std::size_t>(count));
  for (double& value : values) value = static_cast<double>(normal(engine_));
  return values;
}

Values Random::ties(std::int64_t count) {
  Values values(static_cast<std::size_t>(count));
  for (double& value : values) value = static_cast<double>(integer(-2, 2));
  return values;
}

}  // namespace cnnplan::test
