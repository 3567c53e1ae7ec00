// Turns attributes into values.
#include "tests/emulation/cudnn/cudnn_contents.hpp"

namespace cnnplan::emulation {
namespace {

using Attribute = cudnnBackendAttributeName_t;

// Names the attributes of a convolution in one direction.
struct ConvolutionAttributes {
  OperationKind kind;
  Attribute alpha, beta, convolution, x, w, y;
};

constexpr ConvolutionAttributes forward_attributes{
    OperationKind::forward,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
constexpr ConvolutionAttributes data_attributes{OperationKind::backward_data,
                                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
constexpr ConvolutionAttributes filter_attributes{
    OperationKind::backward_filter,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};

Operation convolution_operation_of(const Descriptor& from, const ConvolutionAttributes& names) {
  Operation operation{.kind = names.kind,
                      .convolution = only<Convolution>(from, names.convolution),
                      .x = only<Tensor>(from, names.x),
                      .w = only<Tensor>(from, names.w),
                      .y = only<Tensor>(from, names.y),
                      .alpha = from.real(names.alpha, 1.0),
                      .beta = from.real(names.beta, 0.0)};
  check(operation);
  return operation;
}

Operation pointwise_operation_of(const Descriptor& from) {
  Operation operation{
      .kind = OperationKind::pointwise,
      .pointwise = only<Pointwise>(from, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR),
      .x = only<Tensor>(from, CUDNN_ATTR_OPERATION_POINTWISE_XDESC),
      .y = only<Tensor>(from, CUDNN_ATTR_OPERATION_POINTWISE_YDESC),
      .alpha = from.real(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1.0),
      .beta = from.real(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1.0)};
  const auto second = from.contents<Tensor>(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  operation.has_w = !second.empty();
  if (operation.has_w) operation.w = second[0];
  check(operation);
  return operation;
}

Operation statistics_operation_of(const Descriptor& from) {
  const auto precision = from.scalar<cudnnDataType_t>(CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC);
  require(precision == CUDNN_DATA_FLOAT,
          CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
          "statistics are computed in FLOAT");
  Operation operation{.kind = OperationKind::statistics,
                      .x = only<Tensor>(from, CUDNN_ATTR_OPERATION_GENSTATS_XDESC),
                      .w = only<Tensor>(from, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC),
                      .y = only<Tensor>(from, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC),
                      .has_w = false};
  check(operation);
  return operation;
}

}  // namespace

Tensor tensor_of(const Descriptor& from) {
  Tensor tensor{.uid = from.scalar<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID),
                .type = from.scalar<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE),
                .dims = from.list<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
                .strides = from.list<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES),
                .is_virtual = from.scalar<std::uint8_t>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0,
                .alignment = from.scalar<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)};
  check(tensor);
  return tensor;
}

Convolution convolution_of(const Descriptor& from) {
  const auto mode = from.scalar<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE);
  require(mode == CUDNN_CROSS_CORRELATION,
          CUDNN_STATUS_NOT_SUPPORTED,
          "only CUDNN_CROSS_CORRELATION is emulated");
  Convolution convolution{.compute = from.scalar<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE),
                          .pre = from.list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
                          .post = from.list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS),
                          .stride = from.list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
                          .dilation = from.list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS)};
  check(convolution, from.scalar<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
  return convolution;
}

Pointwise pointwise_of(const Descriptor& from) {
  const auto mode = from.scalar<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
  require(mode == CUDNN_POINTWISE_ADD || mode == CUDNN_POINTWISE_RELU_FWD ||
              mode == CUDNN_POINTWISE_IDENTITY,
          CUDNN_STATUS_NOT_SUPPORTED,
          "a pointwise mode that is not emulated");
  return {.mode = mode,
          .lower = from.real(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0.0),
          .upper = from.real(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, 1e300),
          .slope = from.real(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0.0),
          .propagates_nan =
              from.scalar<cudnnNanPropagation_t>(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION,
                                                 CUDNN_NOT_PROPAGATE_NAN) == CUDNN_PROPAGATE_NAN};
}

Operation operation_of(const Descriptor& from) {
  switch (from.type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return convolution_operation_of(from, forward_attributes);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return convolution_operation_of(from, data_attributes);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return convolution_operation_of(from, filter_attributes);
    case CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR:
      return statistics_operation_of(from);
    default:
      return pointwise_operation_of(from);
  }
}

VariantPack variant_pack_of(const Descriptor& from) {
  const auto uids = from.list<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = from.list<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  require(uids.size() == pointers.size(), "ids and pointers differ in number");
  VariantPack pack{.workspace = from.scalar<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE)};
  for (std::size_t i = 0; i < uids.size(); ++i) {
    require(pack.pointers.emplace(uids[i], pointers[i]).second,
            CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES,
            "the id " + std::to_string(uids[i]) + " is given twice");
  }
  return pack;
}

KnobChoice knob_choice_of(const Descriptor& from) {
  return {.type = from.scalar<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE),
          .value = from.scalar<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE)};
}

EngineConfig engine_config_of(const Descriptor& from) {
  return {.engine = only<Engine>(from, CUDNN_ATTR_ENGINECFG_ENGINE),
          .knobs = from.contents<KnobChoice>(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES)};
}

}  // namespace cnnplan::emulation
