// Finalizes descriptors: checks them, and derives their content and further attributes.
#include "tests/emulation/cudnn/cudnn_contents.hpp"
#include "tests/emulation/cudnn/cudnn_engines.hpp"

namespace cnnplan::emulation {
namespace {

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

// Derives the content of descriptors that depend on the library's engines.
void derive_library_content(Descriptor& of) {
  switch (of.type) {
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      of.content = graph_of(of);
      break;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      finalize_engine(of);
      break;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      finalize_heuristic(of);
      break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      finalize_plan(of);
      break;
    default:
      throw CudnnError(CUDNN_STATUS_BAD_PARAM, "a descriptor that is not finalized");
  }
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
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR:
      of.content = operation_of(of);
      break;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      of.content = engine_config_of(of);
      break;
    case CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR:
      of.content = knob_choice_of(of);
      break;
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      of.content = variant_pack_of(of);
      break;
    default:
      derive_library_content(of);
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
