// Checks values of cuDNN descriptors that depend on more than one attribute.
#include "tests/emulation/cudnn/cudnn_values.hpp"

#include <algorithm>
#include <set>

#include "tests/emulation/cudnn/cudnn_call.hpp"

namespace cnnplan::emulation {
namespace {

bool all_at_least(const Extents& extents, std::int64_t least) {
  return std::all_of(extents.begin(), extents.end(), [&](auto extent) { return extent >= least; });
}

void require_shape(bool condition, const std::string& text) {
  require(condition, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, text);
}

void check_convolution(const Operation& operation) {
  const auto& [compute, pre, post, stride, dilation] = operation.convolution;
  const std::size_t rank = stride.size() + 2;
  const Extents& x = operation.x.dims;
  const Extents& w = operation.w.dims;
  const Extents& y = operation.y.dims;
  require_shape(x.size() == rank && w.size() == rank && y.size() == rank,
                "tensors and convolution differ in their number of dims");
  require_shape(x[0] == y[0], "x and y differ in samples");
  require_shape(w[0] == y[1], "w and y differ in filters");
  require_shape(x[1] % w[1] == 0 && y[1] % (x[1] / w[1]) == 0, "channels and groups do not fit");
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    const std::int64_t reach = dilation[i] * (w[i + 2] - 1) + 1;
    const std::int64_t space = x[i + 2] + pre[i] + post[i] - reach;
    require_shape(space >= 0 && space / stride[i] + 1 == y[i + 2],
                  "y has not as many outputs as the window gives");
  }
  const bool wide = operation.x.type == CUDNN_DATA_DOUBLE;
  require((compute == CUDNN_DATA_DOUBLE) == wide,
          CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
          "the compute type does not fit the tensors");
}

void check_pointwise(const Operation& operation) {
  require(operation.has_w == (operation.pointwise.mode == CUDNN_POINTWISE_ADD),
          "wrong number of inputs for the mode");
  require_shape(operation.x.dims == operation.y.dims, "x and y differ in shape");
  if (!operation.has_w) return;
  const Extents& b = operation.w.dims;
  require_shape(b.size() == operation.x.dims.size(), "x and b differ in their number of dims");
  for (std::size_t i = 0; i < b.size(); ++i) {
    require_shape(b[i] == 1 || b[i] == operation.x.dims[i], "b cannot be broadcast to x");
  }
}

void check_statistics(const Operation& operation) {
  Extents channels(operation.x.dims.size(), 1);
  channels[1] = operation.x.dims[1];
  require_shape(operation.y.dims == channels && operation.w.dims == channels,
                "sums do not have one element per channel of x");
  require(operation.y.type == CUDNN_DATA_FLOAT && operation.w.type == CUDNN_DATA_FLOAT,
          CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
          "sums are FLOAT");
}

}  // namespace

const Tensor& Operation::output() const {
  if (kind == OperationKind::backward_data) return x;
  return kind == OperationKind::backward_filter ? w : y;
}

std::vector<const Tensor*> Operation::outputs() const {
  if (kind == OperationKind::statistics) return {&y, &w};
  return {&output()};
}

std::vector<const Tensor*> Operation::inputs() const {
  if (kind == OperationKind::statistics) return {&x};
  std::vector<const Tensor*> found;
  for (const Tensor* tensor : {&x, &w, &y}) {
    if (tensor != &output() && (tensor != &w || has_w)) found.push_back(tensor);
  }
  return found;
}

void check(const Tensor& tensor) {
  require(tensor.dims.size() == tensor.strides.size(), "dims and strides differ in number");
  require(tensor.dims.size() >= 3, "a tensor has at least 3 dims");
  require(all_at_least(tensor.dims, 1), "dims have to be positive");
  require(all_at_least(tensor.strides, 1), "strides have to be positive");
  const std::int64_t bytes = bytes_of(tensor.type);
  require(bytes > 0, CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "a data type that is not emulated");
  require(tensor.alignment >= bytes && (tensor.alignment & (tensor.alignment - 1)) == 0,
          "the alignment has to be a power of two and no less than an element");
}

void check(const Convolution& convolution, std::int64_t spatial_dims) {
  const auto& [compute, pre, post, stride, dilation] = convolution;
  require(spatial_dims == 2 || spatial_dims == 3,
          CUDNN_STATUS_NOT_SUPPORTED,
          "2 or 3 spatial dims are emulated");
  for (const Extents* extents : {&pre, &post, &stride, &dilation}) {
    require(static_cast<std::int64_t>(extents->size()) == spatial_dims,
            "a list has not as many elements as there are spatial dims");
  }
  require(all_at_least(pre, 0) && all_at_least(post, 0), "paddings cannot be negative");
  require(all_at_least(stride, 1) && all_at_least(dilation, 1),
          "strides and dilations have to be positive");
  require(compute == CUDNN_DATA_FLOAT || compute == CUDNN_DATA_DOUBLE,
          CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
          "compute types are FLOAT and DOUBLE");
}

void check(const Operation& operation) {
  if (operation.kind == OperationKind::pointwise) {
    check_pointwise(operation);
  } else if (operation.kind == OperationKind::statistics) {
    check_statistics(operation);
  } else {
    check_convolution(operation);
  }
  for (const Tensor* input : operation.inputs()) {
    require(input->uid != operation.output().uid, "an input is the output");
    const bool wide = input->type == CUDNN_DATA_DOUBLE;
    require(wide == (operation.output().type == CUDNN_DATA_DOUBLE),
            CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
            "DOUBLE does not mix with other types");
  }
}

void check(const Graph& graph) {
  std::map<std::int64_t, Tensor> tensors;
  std::set<std::int64_t> written;
  for (const Operation& operation : graph.operations) {
    std::vector<const Tensor*> all = operation.inputs();
    for (const Tensor* input : all) {
      require(!input->is_virtual || written.count(input->uid) == 1,
              "a virtual tensor is read that no operation before has written");
    }
    for (const Tensor* output : operation.outputs()) all.push_back(output);
    for (const Tensor* tensor : all) {
      const Tensor& known = tensors.emplace(tensor->uid, *tensor).first->second;
      require(known == *tensor,
              CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES,
              "two different tensors have the id " + std::to_string(tensor->uid));
    }
    require(!operation.is_convolution() || operation.beta == 0.0 || !operation.output().is_virtual,
            CUDNN_STATUS_NOT_SUPPORTED,
            "beta has no old value of a virtual tensor");
    for (const Tensor* output : operation.outputs()) {
      require(written.insert(output->uid).second, "a tensor is written twice");
    }
  }
  for (const Tensor* output : graph.operations.back().outputs()) {
    require(!output->is_virtual, "the result is virtual");
  }
}

std::int64_t bytes_of(cudnnDataType_t type) {
  if (type == CUDNN_DATA_DOUBLE) return 8;
  if (type == CUDNN_DATA_FLOAT) return 4;
  return type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16 ? 2 : 0;
}

std::int64_t extent_bytes(const Tensor& tensor) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
    last += (tensor.dims[i] - 1) * tensor.strides[i];
  }
  return (last + 1) * bytes_of(tensor.type);
}

std::int64_t volume(const Tensor& tensor) {
  std::int64_t product = 1;
  for (const std::int64_t dim : tensor.dims) product *= dim;
  return product;
}

}  // namespace cnnplan::emulation
