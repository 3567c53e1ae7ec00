// Makes the descriptors of tensors, of the convolution, and of the bias and ReLU that follow it.
#include "executor/backend/cudnn/convolution_graph.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "planner/tensor/element.hpp"

namespace cnnplan::cudnn {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t alignment_bytes = 16;

cudnnDataType_t data_type(ElementType element) {
  switch (element) {
    case ElementType::fp64:
      return CUDNN_DATA_DOUBLE;
    case ElementType::bf16:
      return CUDNN_DATA_BFLOAT16;
    case ElementType::fp16:
      return CUDNN_DATA_HALF;
    case ElementType::fp32:
      break;
  }
  return CUDNN_DATA_FLOAT;
}

struct Tensor {
  TensorId id = TensorId::x;
  ElementType element = ElementType::fp32;
  Integers extents;  // (N, C, [D,] H, W) or (F, C, [KD,] KH, KW)
  bool is_virtual = false;
  bool begins_inside = false;  // its buffer, so perhaps at no multiple of 16 bytes
};

// Channels vary fastest in memory, then the last extents.
Integers channels_last_strides(const Integers& extents) {
  Integers strides(extents.size());
  strides[1] = 1;
  std::int64_t next = extents[1];
  for (std::size_t i = extents.size(); i-- > 2;) {
    strides[i] = next;
    next *= extents[i];
  }
  strides[0] = next;
  return strides;
}

// Inside of a buffer, activations are some samples of an aligned tensor, or some positions of one
// sample along its first dim that is longer than one. So they begin at a multiple of the size of
// one sample or position.
std::int64_t alignment_of(const Tensor& tensor) {
  if (!tensor.begins_inside) return alignment_bytes;
  const auto& extents = tensor.extents;
  auto inner = extents.begin() + 2;
  if (extents[0] == 1) {
    const auto is_long = [](std::int64_t extent) { return extent > 1; };
    inner = std::find_if(inner, extents.end() - 1, is_long) + 1;
  }
  const std::int64_t elements =
      std::accumulate(inner, extents.end(), extents[1], std::multiplies<>());
  return std::gcd(alignment_bytes, elements * bytes_of(buffer_element(tensor.element)));
}

Descriptor make_tensor(const Tensor& tensor) {
  Descriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, static_cast<std::int64_t>(tensor.id))
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, data_type(tensor.element))
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment_of(tensor))
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.extents)
      .set(CUDNN_ATTR_TENSOR_STRIDES, channels_last_strides(tensor.extents));
  if (tensor.is_virtual) descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, true);
  descriptor.finalize();
  return descriptor;
}

// Returns true where depth is 1 and has no window. Then the graph has two spatial dims.
bool is_flat(const KernelSpec& view) {
  const WindowDim& depth = view.window.dims[0];
  return view.in[Dim::d] == 1 && view.out[Dim::d] == 1 && depth.kernel == 1 &&
         depth.padding_begin == 0 && depth.padding_end == 0;
}

Integers extents_of(const Shape& shape, bool flat) {
  if (flat) return {shape[Dim::n], shape[Dim::c], shape[Dim::h], shape[Dim::w]};
  return {shape[Dim::n], shape[Dim::c], shape[Dim::d], shape[Dim::h], shape[Dim::w]};
}

// Returns one number of every dim of the window, depth first where there is one.
template <typename Member>
Integers window_numbers(const KernelSpec& view, bool flat, Member member) {
  Integers numbers;
  for (const WindowDim& dim : view.window.dims) numbers.push_back(dim.*member);
  if (flat) numbers.erase(numbers.begin());
  return numbers;
}

// The accumulator is as wide as the parameters.
cudnnDataType_t compute_type(const KernelSpec& view) {
  return data_type(parameter_element(view.precision));
}

Descriptor make_convolution(const KernelSpec& view, bool flat) {
  const Integers strides = window_numbers(view, flat, &WindowDim::stride);
  Descriptor descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, compute_type(view))
      .set_enumerator(
          CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::ssize(strides))
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, window_numbers(view, flat, &WindowDim::dilation))
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, strides)
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
           window_numbers(view, flat, &WindowDim::padding_begin))
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
           window_numbers(view, flat, &WindowDim::padding_end))
      .finalize();
  return descriptor;
}

// Holds the names of the attributes of one phase's operation.
struct OperationAttributes {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t alpha;
  cudnnBackendAttributeName_t beta;
  cudnnBackendAttributeName_t convolution;
  cudnnBackendAttributeName_t x;
  cudnnBackendAttributeName_t w;
  cudnnBackendAttributeName_t y;
};

OperationAttributes attributes_of(KernelPhase phase) {
  if (phase == KernelPhase::forward) {
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  }
  if (phase == KernelPhase::backward_data) {
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
}

// Appends parts to the graph and returns the indices by which later parts refer to them.
class GraphBuilder {
 public:
  GraphBuilder(const KernelSpec& view, const ConvolutionVariant& variant, bool begins_inside)
      : view_(view), variant_(variant), begins_inside_(begins_inside), flat_(is_flat(view)) {}

  ConvolutionGraph build(const EngineTarget& target) {
    std::vector<Descriptor> operations;
    operations.push_back(convolve());
    if (variant_.fused && view_.bias) operations.push_back(add_bias());
    if (variant_.fused && view_.relu) operations.push_back(rectify());
    if (variant_.statistics) operations.push_back(sum_outputs());
    result_.graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
    target.set_for_graph(result_.graph);
    result_.graph.finalize();
    std::move(operations.begin(), operations.end(), std::back_inserter(result_.parts));
    return std::move(result_);
  }

 private:
  // Returns the index of the part.
  std::size_t add_part(Descriptor part) {
    result_.parts.push_back(std::move(part));
    return result_.parts.size() - 1;
  }
  std::size_t add_tensor(const Tensor& tensor) {
    if (!tensor.is_virtual) result_.tensors.push_back(tensor.id);
    return add_part(make_tensor(tensor));
  }
  ElementType activation() const { return activation_element(view_.precision); }
  Integers weight_extents() const {
    Integers extents = window_numbers(view_, flat_, &WindowDim::kernel);
    extents.insert(extents.begin(), {view_.out[Dim::c], view_.in[Dim::c] / view_.groups});
    return extents;
  }
  ElementType weight_element() const {
    const bool wide = view_.phase == KernelPhase::backward_filter && !variant_.narrow;
    return wide ? parameter_element(view_.precision) : activation();
  }

  // A padded input is in a buffer of its own.
  std::size_t add_x() {
    return add_tensor({.id = TensorId::x,
                       .element = activation(),
                       .extents = extents_of(view_.in, flat_),
                       .begins_inside = begins_inside_ && !variant_.padded});
  }
  std::size_t add_y() {
    return add_tensor({.id = TensorId::y,
                       .element = activation(),
                       .extents = extents_of(view_.out, flat_),
                       .begins_inside = begins_inside_});
  }
  // The tensor is as wide as the sums, and is not in memory.
  std::size_t add_intermediate(TensorId id) {
    return add_tensor({id, parameter_element(view_.precision), extents_of(view_.out, flat_), true});
  }

  Descriptor convolve() {
    const std::size_t x = add_x();
    const std::size_t w = add_tensor({TensorId::w, weight_element(), weight_extents()});
    y_ = variant_.fused ? add_intermediate(TensorId::products) : add_y();
    const std::size_t convolution = add_part(make_convolution(view_, flat_));
    const OperationAttributes names = attributes_of(view_.phase);
    Descriptor operation(names.type);
    set_factors(operation, names);
    operation.set(names.convolution, result_.parts[convolution])
        .set(names.x, result_.parts[x])
        .set(names.w, result_.parts[w])
        .set(names.y, result_.parts[y_])
        .finalize();
    return operation;
  }

  // Results are written, not added to.
  void set_factors(Descriptor& operation, const OperationAttributes& names) const {
    if (view_.precision == Precision::fp64) {
      operation.set(names.alpha, 1.0).set(names.beta, 0.0);
    } else {
      operation.set(names.alpha, 1.0F).set(names.beta, 0.0F);
    }
  }

  Integers channel_extents() const {
    Integers extents(flat_ ? 4 : 5, 1);
    extents[1] = view_.out[Dim::c];
    return extents;
  }

  Descriptor add_bias() {
    const std::size_t bias = add_tensor({TensorId::bias, activation(), channel_extents()});
    const std::size_t y = view_.relu ? add_intermediate(TensorId::sum) : add_y();
    Descriptor operation = pointwise(CUDNN_POINTWISE_ADD, y);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, result_.parts[bias]).finalize();
    return operation;
  }

  Descriptor rectify() {
    Descriptor operation = pointwise(CUDNN_POINTWISE_RELU_FWD, add_y());
    operation.finalize();
    return operation;
  }

  // Sums y, which is in memory, and its squares. @pre can_sum_outputs(view)
  Descriptor sum_outputs() {
    const std::size_t sums =
        add_tensor({TensorId::channel_sums, ElementType::fp32, channel_extents()});
    const std::size_t squares =
        add_tensor({TensorId::channel_squares, ElementType::fp32, channel_extents()});
    Descriptor operation(CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR);
    operation
        .set_enumerator(
            CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_TYPE_GENSTATS_MODE, CUDNN_GENSTATS_SUM_SQSUM)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_XDESC, result_.parts[y_])
        .set(CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, result_.parts[sums])
        .set(CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, result_.parts[squares])
        .finalize();
    return operation;
  }

  // Returns an operation on the last result, not yet finalized. `y` is the last result from here
  // on.
  Descriptor pointwise(cudnnPointwiseMode_t mode, std::size_t y) {
    Descriptor function(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    function.set_enumerator(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode)
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, compute_type(view_));
    if (mode == CUDNN_POINTWISE_RELU_FWD) {
      function.set_enumerator(
          CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, CUDNN_PROPAGATE_NAN);
    }
    function.finalize();
    const std::size_t part = add_part(std::move(function));
    Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, result_.parts[part])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, result_.parts[y_])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, result_.parts[y]);
    y_ = y;
    return operation;
  }

  const KernelSpec& view_;
  const ConvolutionVariant& variant_;
  bool begins_inside_;
  bool flat_;
  std::size_t y_ = 0;  // the part that the last operation writes
  ConvolutionGraph result_;
};

}  // namespace

ConvolutionGraph make_convolution_graph(const EngineTarget& target,
                                        const KernelSpec& view,
                                        const ConvolutionVariant& variant,
                                        bool begins_inside) {
  return GraphBuilder(view, variant, begins_inside).build(target);
}

}  // namespace cnnplan::cudnn
