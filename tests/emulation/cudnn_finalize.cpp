// Finalizing: from attributes to what they mean, and the attributes that follow from it.
#include <algorithm>

#include "tests/emulation/cudnn_descriptor.hpp"
#include "tests/emulation/cudnn_engines.hpp"

namespace cnnplan::emulation {
namespace {

using Attribute = cudnnBackendAttributeName_t;

// The attributes of a convolution in one direction.
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
          .slope = from.real(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0.0)};
}

template <typename T>
T only(const Descriptor& from, Attribute attribute) {
  return from.contents<T>(attribute).at(0);
}

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

std::shared_ptr<const Graph> graph_of(Descriptor& from) {
  context_of(from.scalar<cudnnHandle_t>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE));
  auto graph = std::make_shared<Graph>();
  graph->operations = from.contents<Operation>(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  check(*graph);
  from.put(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, std::vector<std::int64_t>{engine_count});
  return graph;
}

DescriptorPtr describe(const KnobInfo& knob) {
  auto made = std::make_shared<Descriptor>();
  made->type = CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR;
  made->finalized = true;
  made->content = knob;
  made->put(CUDNN_ATTR_KNOB_INFO_TYPE, std::vector{knob.type});
  made->put(CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE, std::vector{knob.minimum});
  made->put(CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE, std::vector{knob.maximum});
  made->put(CUDNN_ATTR_KNOB_INFO_STRIDE, std::vector{knob.stride});
  return made;
}

DescriptorPtr describe(const KnobChoice& choice) {
  auto made = std::make_shared<Descriptor>();
  made->type = CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR;
  made->put(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, std::vector{choice.type});
  made->put(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, std::vector{choice.value});
  finalize(*made);
  return made;
}

void put_engine_attributes(Descriptor& engine) {
  const auto& content = std::get<Engine>(engine.content);
  engine.put(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, std::vector{content.index});
  engine.put(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, numerical_notes(content));
  engine.put(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, behavior_notes(content));
  std::vector<DescriptorPtr> knobs;
  for (const KnobInfo& knob : knobs_of(content)) knobs.push_back(describe(knob));
  engine.put(CUDNN_ATTR_ENGINE_KNOB_INFO, knobs);
}

DescriptorPtr describe(const EngineConfig& config) {
  auto engine = std::make_shared<Descriptor>();
  engine->type = CUDNN_BACKEND_ENGINE_DESCRIPTOR;
  engine->finalized = true;
  engine->content = config.engine;
  put_engine_attributes(*engine);
  auto made = std::make_shared<Descriptor>();
  made->type = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR;
  made->put(CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
  std::vector<DescriptorPtr> choices;
  for (const KnobChoice& choice : config.knobs) choices.push_back(describe(choice));
  made->put(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, choices);
  finalize(*made);
  return made;
}

void finalize_engine(Descriptor& engine) {
  const auto index = engine.scalar<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  require(index >= 0 && index < engine_count,
          CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND,
          "there is no engine " + std::to_string(index));
  engine.content =
      Engine{.graph = only<std::shared_ptr<const Graph>>(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH),
             .index = index};
  put_engine_attributes(engine);
}

void finalize_heuristic(Descriptor& heuristic) {
  const auto graph =
      only<std::shared_ptr<const Graph>>(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  const auto mode = heuristic.scalar<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  require(mode >= 0 && mode < CUDNN_HEUR_MODES_COUNT, "there is no such mode");
  Heuristic content{.results = heuristic_results(graph, mode)};
  std::vector<DescriptorPtr> results;
  for (const EngineConfig& result : content.results) results.push_back(describe(result));
  heuristic.put(CUDNN_ATTR_ENGINEHEUR_RESULTS, results);
  heuristic.content = std::move(content);
}

void finalize_plan(Descriptor& plan) {
  context_of(plan.scalar<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE));
  const Plan content = make_plan(only<EngineConfig>(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  plan.put(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, std::vector{content.workspace_bytes});
  plan.content = content;
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

void derive_content(Descriptor& of) {
  switch (of.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      of.content = tensor_of(of);
      break;
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      of.content = convolution_of(of);
      break;
    case CUDNN_BACKEND_POINTWISE_DESCRIPTOR:
      of.content = pointwise_of(of);
      break;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      of.content = convolution_operation_of(of, forward_attributes);
      break;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      of.content = convolution_operation_of(of, data_attributes);
      break;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      of.content = convolution_operation_of(of, filter_attributes);
      break;
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
      of.content = pointwise_operation_of(of);
      break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      of.content = graph_of(of);
      break;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      finalize_engine(of);
      break;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      of.content = engine_config_of(of);
      break;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      finalize_heuristic(of);
      break;
    case CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR:
      of.content = knob_choice_of(of);
      break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      finalize_plan(of);
      break;
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      of.content = variant_pack_of(of);
      break;
    default:
      throw CudnnError(CUDNN_STATUS_BAD_PARAM, "a descriptor that is not finalized");
  }
}

}  // namespace

void finalize(Descriptor& descriptor) {
  require(!descriptor.finalized, "the descriptor is finalized already");
  for (const Rule& rule : all_rules()) {
    if (rule.descriptor != descriptor.type || rule.use != Rule::Use::mandatory) continue;
    const auto found = descriptor.attributes.find(rule.attribute);
    require(found != descriptor.attributes.end() && found->second.count > 0,
            "attribute " + std::to_string(rule.attribute) + " is missing");
  }
  derive_content(descriptor);
  descriptor.finalized = true;
}

}  // namespace cnnplan::emulation
