// Lists the attributes of the cuDNN descriptors that are emulated, with their types and counts.
#include <array>

#include "tests/emulation/cudnn/cudnn_descriptor.hpp"

namespace cnnplan::emulation {
namespace {

using enum Rule::Use;

constexpr std::int64_t many = 1 << 20;
constexpr auto descriptors = CUDNN_TYPE_BACKEND_DESCRIPTOR;
constexpr auto real = CUDNN_TYPE_DOUBLE;

constexpr auto tensor = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
constexpr auto convolution = CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR;
constexpr auto pointwise = CUDNN_BACKEND_POINTWISE_DESCRIPTOR;
constexpr auto forward = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
constexpr auto backward_data = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
constexpr auto backward_filter = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
constexpr auto operation = CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
constexpr auto statistics = CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR;
constexpr auto graph = CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR;
constexpr auto engine = CUDNN_BACKEND_ENGINE_DESCRIPTOR;
constexpr auto config = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR;
constexpr auto heuristic = CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR;
constexpr auto choice = CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR;
constexpr auto knob = CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR;
constexpr auto plan = CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;
constexpr auto pack = CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR;

// clang-format off
constexpr std::array rules{
    Rule{tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE},
    Rule{tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    Rule{tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    Rule{tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64},
    Rule{tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64},
    Rule{tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, optional},
    Rule{convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE},
    Rule{convolution, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE},
    Rule{convolution, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64},
    Rule{convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    Rule{convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    Rule{convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    Rule{convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, CUDNN_DIM_MAX},
    Rule{pointwise, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE},
    Rule{pointwise, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE},
    Rule{pointwise, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, 1, optional},
    Rule{pointwise, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, real, 1, optional},
    Rule{pointwise, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, real, 1, optional},
    Rule{pointwise, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, real, 1, optional},
    Rule{forward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, real},
    Rule{forward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, real},
    Rule{forward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, descriptors},
    Rule{forward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, descriptors},
    Rule{forward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, descriptors},
    Rule{forward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, descriptors},
    Rule{backward_data, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, real},
    Rule{backward_data, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, real},
    Rule{backward_data, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, descriptors},
    Rule{backward_data, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, descriptors},
    Rule{backward_data, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, descriptors},
    Rule{backward_data, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, descriptors},
    Rule{backward_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, real},
    Rule{backward_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, real},
    Rule{backward_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, descriptors},
    Rule{backward_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, descriptors},
    Rule{backward_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, descriptors},
    Rule{backward_filter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, descriptors},
    Rule{operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, descriptors},
    Rule{operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, descriptors},
    Rule{operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, descriptors, 1, optional},
    Rule{operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, descriptors},
    Rule{operation, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, real, 1, optional},
    Rule{operation, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, real, 1, optional},
    Rule{statistics, CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_TYPE_GENSTATS_MODE},
    Rule{statistics, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_TYPE_DATA_TYPE},
    Rule{statistics, CUDNN_ATTR_OPERATION_GENSTATS_XDESC, descriptors},
    Rule{statistics, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, descriptors},
    Rule{statistics, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, descriptors},
    Rule{graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE},
    Rule{graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, descriptors, many},
    Rule{graph, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, CUDNN_TYPE_INT64, 1, computed},
    Rule{engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, descriptors},
    Rule{engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64},
    Rule{engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, many, computed},
    Rule{engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE, many, computed},
    Rule{engine, CUDNN_ATTR_ENGINE_KNOB_INFO, descriptors, many, computed},
    Rule{config, CUDNN_ATTR_ENGINECFG_ENGINE, descriptors},
    Rule{config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, descriptors, many, optional},
    Rule{heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, descriptors},
    Rule{heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE},
    Rule{heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, descriptors, many, computed},
    Rule{choice, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE},
    Rule{choice, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64},
    Rule{knob, CUDNN_ATTR_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, computed},
    Rule{knob, CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE, CUDNN_TYPE_INT64, 1, computed},
    Rule{knob, CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE, CUDNN_TYPE_INT64, 1, computed},
    Rule{knob, CUDNN_ATTR_KNOB_INFO_STRIDE, CUDNN_TYPE_INT64, 1, computed},
    Rule{plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE},
    Rule{plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, descriptors},
    Rule{plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, computed},
    Rule{pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, many},
    Rule{pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, many},
    Rule{pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, optional},
};
// clang-format on

}  // namespace

std::span<const Rule> all_rules() {
  return rules;
}

const Rule& rule_of(cudnnBackendDescriptorType_t descriptor,
                    cudnnBackendAttributeName_t attribute) {
  for (const Rule& rule : rules) {
    if (rule.descriptor == descriptor && rule.attribute == attribute) return rule;
  }
  throw CudnnError(CUDNN_STATUS_BAD_PARAM,
                   "descriptor type " + std::to_string(descriptor) + " has no attribute " +
                       std::to_string(attribute) + ", or it is not emulated");
}

bool accepts(const Rule& rule, cudnnBackendAttributeType_t type) {
  return type == rule.type || (rule.type == real && type == CUDNN_TYPE_FLOAT);
}

std::int64_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
      return 8;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return sizeof(void*);
    default:
      return 4;  // FLOAT and enumerations
  }
}

}  // namespace cnnplan::emulation
