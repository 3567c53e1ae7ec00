// Computes gradients of filters and biases over blocks of positions. A kernel sums the products of
// a block in floats, and the blocks are added in doubles.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/backend/box_copy.hpp"
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution/convolution.hpp"
#include "executor/backend/onednn/convolution/position_blocks.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/position_sums.hpp"
#include "executor/backend/onednn/weight_format.hpp"
#include "executor/backend/onednn/workspace.hpp"
#include "executor/backend/operands_by_role.hpp"

namespace cnnplan::onednn {
namespace {

bool begins_with(const std::string& text, const std::string& prefix) {
  return text.rfind(prefix, 0) == 0;
}

// Returns true for kernels that add few products in a float before they add it to the sums. Over
// 4,096 positions the error was at most 4e-7 for random positive products, and 9.3e-6 where all
// products are equal and errors have one sign.
bool sums_in_parts(const std::string& implementation, const KernelSpec& spec) {
  constexpr std::int64_t channels_of_vector = 16;
  if (begins_with(implementation, "jit:avx512_core")) {
    const auto& dims = spec.window.dims;
    return spec.in[Dim::c] / spec.groups >= channels_of_vector &&
           std::all_of(
               dims.begin(), dims.end(), [](const WindowDim& dim) { return dim.stride == 1; });
  }
  for (const char* const name : {"x64:gemm",
                                 "strided x64:gemm",
                                 "jit_1x1:",
                                 "strided jit_1x1:",
                                 "jit_bf16:",
                                 "packed panels",
                                 "strided packed panels"}) {
    if (begins_with(implementation, name)) return true;
  }
  return false;
}

// Returns true for our own kernels that add blocks in doubles themselves, for the bias, too.
bool sums_in_doubles(const std::string& implementation) {
  return implementation == "gathered rows" || implementation == "depthwise loops";
}

// Returns how many positions a kernel sums. All other kernels add every product to one float. Over
// P equal products the error was up to 1e-8 P, so 256 of them keep 1e-6 sqrt(log2 n). The calls and
// sums of so short blocks cost up to 10 %, so smaller images have longer ones: 1e-5 and 2 %.
std::int64_t block_positions(const std::string& implementation, const KernelSpec& spec) {
  constexpr std::int64_t large = std::int64_t{1} << 18;
  if (sums_in_parts(implementation, spec)) return 4096;
  return volume(spec.out) / spec.out[Dim::c] < large ? 1024 : 256;
}

KernelSpec without_bias(KernelSpec spec) {
  spec.bias = false;
  return spec;
}

bool is_product(const KernelSpec& spec) {
  Shape expected = spec.out;
  expected[Dim::c] = spec.in[Dim::c];
  return spec.window == Window{} && spec.in == expected && spec.groups == 1;
}

// Returns a product over positions with all positions in one row, which can be cut anywhere.
KernelSpec as_row(const KernelSpec& spec) {
  if (!is_product(spec)) return spec;
  KernelSpec row = spec;
  const std::int64_t positions = volume(spec.out) / spec.out[Dim::c];
  row.in = {{1, spec.in[Dim::c], 1, 1, positions}};
  row.out = {{1, spec.out[Dim::c], 1, 1, positions}};
  return row;
}

TensorView part_of(void* data, const Shape& shape, const Box& part, ElementType element) {
  return view_of(data, whole(shape), part, bytes_of(element));
}

struct WorkspaceBytes {
  std::int64_t all() const {
    return whole_lines(totals) + whole_lines(x) + whole_lines(dy) + inner;
  }

  std::int64_t totals = 0;  // of the blocks; none for one block
  std::int64_t x = 0;       // of copies of blocks that are not contiguous
  std::int64_t dy = 0;
  std::int64_t inner = 0;  // of the kernel of a block
};

class FilterGradient final : public Kernel {
 public:
  // `positions` is the length of blocks.
  FilterGradient(const Library& library,
                 const KernelSpec& spec,
                 std::string implementation,
                 std::int64_t positions);

  void run(Operands operands, const StepState& state) override;
  std::int64_t workspace_bytes() const override { return bytes_.all(); }
  std::string implementation() const override { return implementation_; }

 private:
  struct Part {
    Box out;
    Box in;
    Kernel* kernel = nullptr;  // none where all windows lie in the padding
  };
  struct Views {
    TensorView x, dy, dweight;
  };

  void add_part_of(const Library& library, const PositionBlock& block);
  void multiply(const Part& part, const Views& views, const StepState& state) const;
  void add_bias(const TensorView& dy);
  void add_product(std::int64_t done, float* dweight, double* totals) const;
  TensorView dense(const TensorView& view, std::byte* copy) const;

  KernelSpec spec_;  // as a row where that is possible
  std::string implementation_;
  OperandPositions positions_;
  OperandPositions inner_positions_;
  ElementType element_;
  std::int64_t weight_elements_;
  std::map<KernelSpec, std::unique_ptr<Kernel>> kernels_;
  std::vector<Part> parts_;
  std::int64_t products_ = 0;  // parts that have a kernel
  std::vector<double> bias_;
  WorkspaceBytes bytes_;
};

FilterGradient::FilterGradient(const Library& library,
                               const KernelSpec& spec,
                               std::string implementation,
                               std::int64_t positions)
    : spec_(as_row(spec)),
      implementation_(std::move(implementation)),
      positions_(spec),
      inner_positions_(without_bias(spec)),
      element_(activation_element(spec.precision)),
      weight_elements_(stored_weight(spec).get_size() / sizeof(float)),
      bias_(spec.bias ? spec.out[Dim::c] : 0) {
  for_each_position_block(
      spec_, positions, [&](const PositionBlock& block) { add_part_of(library, block); });
  if (products_ > 1) bytes_.totals = weight_elements_ * sizeof(double);
}

void FilterGradient::add_part_of(const Library& library, const PositionBlock& block) {
  const auto copied_bytes = [this](const Shape& shape, const Box& part) {
    const bool is_copied = !is_dense(part_of(nullptr, shape, part, element_));
    return is_copied ? volume(part) * bytes_of(element_) : 0;
  };
  Part part{.out = block.out, .in = block.in};
  bytes_.dy = std::max(bytes_.dy, copied_bytes(spec_.out, part.out));
  if (!is_empty(part.in)) {
    bytes_.x = std::max(bytes_.x, copied_bytes(spec_.in, part.in));
    std::unique_ptr<Kernel>& kernel = kernels_[without_bias(block.spec)];
    if (!kernel) kernel = make_convolution(library, without_bias(block.spec), {});
    part.kernel = kernel.get();
    ++products_;
    bytes_.inner = std::max(bytes_.inner, kernel->workspace_bytes());
  }
  parts_.push_back(part);
}

// Returns the view, or a copy where its elements are not contiguous.
TensorView FilterGradient::dense(const TensorView& view, std::byte* copy) const {
  if (is_dense(view)) return view;
  const TensorView copied = view_of(copy, view.box, view.box, bytes_of(element_));
  copy_box(make_box_copy(copied, view, element_));
  return copied;
}

void FilterGradient::multiply(const Part& part, const Views& views, const StepState& state) const {
  constexpr std::size_t operand_count = 3;
  std::array<TensorView, operand_count> inner;
  inner[inner_positions_[Role::x]] = views.x;
  inner[inner_positions_[Role::dy]] = views.dy;
  inner[inner_positions_[Role::dweight]] = views.dweight;
  part.kernel->run(inner, state);
}

void FilterGradient::add_bias(const TensorView& dy) {
  const std::int64_t channels = spec_.out[Dim::c];
  with_activation(spec_.precision, [&]<typename T>(T) {
    add_positions(dy.as<const T>(), volume(dy.box) / channels, channels, bias_.data());
  });
}

// Adds the product in `dweight` after `done` others. The last one leaves the sum there.
void FilterGradient::add_product(std::int64_t done, float* dweight, double* totals) const {
  if (products_ == 1) return;
  if (done == 0) return copy_part(dweight, weight_elements_, totals);
  if (done + 1 < products_) return add_part(dweight, weight_elements_, totals);
  finish_parts(totals, weight_elements_, dweight);
}

// A block of dy is in a cache when its products follow the sum of the bias.
void FilterGradient::run(Operands operands, const StepState& state) {
  const OperandsByRole by_role(operands, positions_);
  const Workspace totals(bytes_.totals);
  const Workspace x_copy(bytes_.x);
  const Workspace dy_copy(bytes_.dy);
  auto* const dweight = by_role[Role::dweight].as<float>();
  std::fill(bias_.begin(), bias_.end(), 0.0);
  if (products_ == 0) std::fill_n(dweight, weight_elements_, 0.0F);
  std::int64_t done = 0;
  for (const Part& part : parts_) {
    Views views{.dweight = by_role[Role::dweight]};
    views.dy =
        dense(part_of(by_role[Role::dy].data, spec_.out, part.out, element_), dy_copy.data());
    if (!bias_.empty()) add_bias(views.dy);
    if (part.kernel == nullptr) continue;
    views.x = dense(part_of(by_role[Role::x].data, spec_.in, part.in, element_), x_copy.data());
    multiply(part, views, state);
    add_product(done++, dweight, reinterpret_cast<double*>(totals.data()));
  }
  if (!bias_.empty()) {
    std::transform(bias_.begin(), bias_.end(), by_role[Role::dbias].as<float>(), stored<float>);
  }
}

// With one channel or one filter, the products of a position are a vector times a number.
template <typename T>
std::unique_ptr<Kernel> make_vector_sums(const KernelSpec& spec) {
  const bool has_channel = spec.in[Dim::c] == 1;
  const std::int64_t width = has_channel ? spec.out[Dim::c] : spec.in[Dim::c];
  const std::int64_t filters = spec.out[Dim::c];
  const std::int64_t positions = volume(spec.out) / filters;
  const auto run = [=, sums = std::vector<double>(width), bias = std::vector<double>(filters)](
                       const OperandsByRole& operands, const StepState&) mutable {
    const auto* const x = operands[Role::x].as<const T>();
    const auto* const dy = operands[Role::dy].as<const T>();
    std::fill(sums.begin(), sums.end(), 0.0);
    add_scaled_positions(has_channel ? x : dy, has_channel ? dy : x, positions, width, sums.data());
    std::transform(sums.begin(), sums.end(), operands[Role::dweight].as<float>(), stored<float>);
    if (!operands.has(Role::dbias)) return;
    std::fill(bias.begin(), bias.end(), 0.0);
    add_positions(dy, positions, filters, bias.data());
    std::transform(bias.begin(), bias.end(), operands[Role::dbias].as<float>(), stored<float>);
  };
  return std::make_unique<FunctionKernel>("vector sums", spec, run);
}

}  // namespace

std::unique_ptr<Kernel> make_blocked_convolution(const Library& library,
                                                 const KernelSpec& spec,
                                                 const KernelConstants& constants) {
  const bool is_empty = volume(spec.in) * volume(spec.out) == 0;
  if (spec.phase != KernelPhase::backward_filter || is_empty) {
    return make_convolution(library, spec, constants);
  }
  if (is_product(spec) && std::min(spec.in[Dim::c], spec.out[Dim::c]) == 1) {
    return with_activation(spec.precision,
                           [&]<typename T>(T) { return make_vector_sums<T>(spec); });
  }
  auto whole = make_convolution(library, without_bias(spec), constants);
  const std::string implementation = whole->implementation();
  if (sums_in_doubles(implementation)) return make_convolution(library, spec, constants);
  const std::int64_t all = volume(spec.out) / spec.out[Dim::c];
  const std::int64_t wanted = std::min(all, block_positions(implementation, spec));
  if (!spec.bias && wanted == all) return whole;
  try {
    return std::make_unique<FilterGradient>(library, spec, implementation, wanted);
  } catch (const BackendError&) {
    // oneDNN computes the whole but not a block of it.
    return std::make_unique<FilterGradient>(library, spec, implementation, all);
  }
}

}  // namespace cnnplan::onednn
