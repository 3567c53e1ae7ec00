// Derives kernels and their constants from a plan, a unit and a rank.
#include "planner/schedule/lower/state/kernel_specs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace cnnplan {
namespace {

KernelAlgorithm algorithm(const LocalUnit& local, KernelPhase phase) {
  const auto& algorithms = local.layer_plan().algorithms;
  const auto found = algorithms.find(phase);
  return found == algorithms.end() ? KernelAlgorithm::direct : found->second;
}

// Returns the shape of the whole first input.
Shape input_shape(const LocalUnit& local) {
  const Network& network = local.plan().network;
  return network.output_shape(network.inputs_of(local.unit.head)[0], local.plan().batch);
}

KernelKind element_wise_kind(const LayerParameters& parameters) {
  const std::string_view name = kind_name(parameters);
  for (const KernelKind kind : Enumerators<KernelKind>::all) {
    if (to_text(kind) == name) return kind;
  }
  throw std::logic_error("no kind of kernel has the name of the layer kind " + std::string(name));
}

void set_groups(const LocalUnit& local, KernelSpec& spec) {
  // Ranks without channels have one group of none.
  const std::int64_t group = weight_block(local.plan(), local.unit.head, local.rank)[Dim::c].size();
  spec.groups = std::max<std::int64_t>(1, spec.in[Dim::c] / std::max<std::int64_t>(1, group));
  spec.bias = !is_transposed(local.parameters()) && local.adds_bias();
}

void set_pooling(const LayerParameters& parameters, KernelSpec& spec) {
  spec.kind = KernelKind::pooling;
  if (const auto* pooling = std::get_if<Pooling>(&parameters)) {
    spec.pooling = pooling->mode;
    spec.count_include_padding = pooling->count_include_padding;
  } else {
    spec.pooling = std::get<GlobalPooling>(parameters).mode;
  }
}

// Sets the constants that the layer's kind gives to its kernels.
class ConstantsRule {
 public:
  ConstantsRule(const LocalUnit& local, KernelKind kind, KernelConstants& constants)
      : local_(local), kind_(kind), constants_(constants) {}

  void operator()(const BatchNorm& norm) const {
    constants_.epsilon = norm.epsilon;
    constants_.running_momentum = norm.momentum;
  }
  void operator()(const Relu& relu) const { constants_.relu_max = relu.max; }
  void operator()(const Add& add) const {
    if (kind_ == KernelKind::add) constants_.add_scale = add.scale;
  }
  void operator()(const Upsample& upsample) const {
    if (kind_ != KernelKind::interpolate) return;
    constants_.axes = interpolation_axes(upsample, input_shape(local_), local_.own_box());
  }
  void operator()(const LocalResponseNorm& norm) const {
    constants_.response_scale = norm.alpha / static_cast<double>(norm.size);
    constants_.response_beta = norm.beta;
    constants_.response_k = norm.k;
  }
  void operator()(const Dropout&) const { constants_.random_stream = local_.unit.head; }
  void operator()(const SoftmaxCrossEntropy& loss) const {
    const Shape shape = logits();
    set_count(volume(shape) / shape[Dim::c], loss.weight);
  }
  void operator()(const MeanSquaredError& loss) const { set_count(volume(logits()), loss.weight); }
  template <typename Other>
  void operator()(const Other&) const {}

 private:
  Shape logits() const {
    return local_.plan().network.output_shape(local_.unit.head, local_.plan().batch);
  }
  void set_count(std::int64_t count, double weight) const {
    constants_.loss_count = static_cast<double>(count) / weight;
  }

  const LocalUnit& local_;
  KernelKind kind_;
  KernelConstants& constants_;
};

}  // namespace

bool LocalUnit::adds_bias() const {
  return has_bias(parameters()) && volume(bias_block(plan(), unit.head, rank)) > 0;
}

KernelSpec windowed_spec(const LocalUnit& local) {
  const LayerParameters& parameters = local.parameters();
  const Decomposition& decomposition = local.decomposition;
  KernelSpec spec{.kind = KernelKind::convolution, .phase = KernelPhase::forward};
  const int part = local.layer_plan().mesh.coordinate(local.rank, Axis::c);
  const Box computed = decomposition.computed(local.unit).box(local.rank);
  spec.precision = local.plan().precision;
  spec.out = shape_of(computed);
  spec.in = shape_of(local.needed_box());
  if (local.is_here()) {
    spec.out[Dim::c] = decomposition.computed(local.unit).range(Dim::c, part).size();
    spec.in[Dim::c] = decomposition.needed(local.unit, 0).range(Dim::c, part).size();
  }
  spec.window = local_window(local.plan().network, local.unit.head, computed);
  if (is_transposed(parameters)) std::swap(spec.in, spec.out);
  mixes_channels(parameters) ? set_groups(local, spec) : set_pooling(parameters, spec);
  return spec;
}

KernelSpec convolution_spec(const LocalUnit& local, KernelSpec forward, KernelPhase phase) {
  forward.phase = phase;
  if (is_transposed(local.parameters()) && phase != KernelPhase::backward_filter) {
    const bool is_forward = phase == KernelPhase::forward;
    forward.phase = is_forward ? KernelPhase::backward_data : KernelPhase::forward;
  }
  forward.algorithm = algorithm(local, forward.phase);
  return forward;
}

KernelSpec bias_spec(const LocalUnit& local, KernelPhase phase) {
  KernelSpec spec = element_wise_spec(local, KernelKind::bias, phase);
  spec.in = spec.out = windowed_spec(local).in;
  return spec;
}

KernelSpec element_wise_spec(const LocalUnit& local, KernelKind kind, KernelPhase phase) {
  KernelSpec spec{.kind = kind, .phase = phase};
  spec.in = spec.out = shape_of(local.own_box());
  spec.precision = local.plan().precision;
  if (kind == KernelKind::local_response_norm) {
    spec.local_size = std::get<LocalResponseNorm>(local.parameters()).size;
  }
  return spec;
}

KernelSpec forward_element_wise_spec(const LocalUnit& local) {
  KernelSpec spec =
      element_wise_spec(local, element_wise_kind(local.parameters()), KernelPhase::forward);
  spec.relu = local.unit.relu;
  return spec;
}

KernelSpec backward_element_wise_spec(const LocalUnit& local) {
  const bool is_fused = local.unit.relu;
  return element_wise_spec(local,
                           is_fused ? KernelKind::relu : element_wise_kind(local.parameters()),
                           KernelPhase::backward_data);
}

KernelSpec pointwise_spec(const LocalUnit& local, KernelPhase phase) {
  KernelSpec spec = element_wise_spec(local, KernelKind::pointwise, phase);
  if (local.unit.inputs.size() == 1) return spec;
  spec.residual = true;
  spec.in = shape_of(local.decomposition.needed(local.unit, 1).box(local.rank));
  return spec;
}

KernelSpec batch_norm_spec(const LocalUnit& local) {
  KernelSpec spec = element_wise_spec(local, KernelKind::batch_norm, KernelPhase::forward);
  spec.relu = local.unit.relu;
  spec.residual = local.unit.residual;
  return spec;
}

KernelSpec rearranging_spec(const LocalUnit& local, KernelPhase phase) {
  KernelSpec spec = element_wise_spec(local, KernelKind::channel_shuffle, phase);
  if (const auto* upsample = std::get_if<Upsample>(&local.parameters())) {
    const bool is_linear = upsample->mode == UpsampleMode::linear;
    spec.kind = is_linear ? KernelKind::interpolate : KernelKind::upsample;
    spec.in = shape_of(local.needed_box());
    spec.window = upsample_window(*upsample, input_shape(local), local.own_box());
  } else {
    spec.groups = std::get<ChannelShuffle>(local.parameters()).groups;
  }
  return spec;
}

KernelKind loss_kind(const Network& network) {
  return has_targets(network) ? KernelKind::mean_squared_error : KernelKind::softmax_cross_entropy;
}

KernelConstants constants_of(const LocalUnit& local, KernelKind kind) {
  KernelConstants constants{.replicated = local.layer_plan().mesh.size(Axis::r) > 1};
  std::visit(
      [&]<typename Layer>(const Layer& layer) {
        if constexpr (requires { Layer::kernel_parameter; }) {
          constants.parameter = layer.*Layer::kernel_parameter;
        }
        ConstantsRule(local, kind, constants)(layer);
      },
      local.parameters());
  return constants;
}

std::string implementation_of(const Plan& plan, const KernelSpec& spec) {
  if (plan.implementations.empty() || spec.kind != KernelKind::convolution) return {};
  const auto found = plan.implementations.find(to_text(alone(canonical(spec))));
  return found == plan.implementations.end() ? "" : found->second;
}

int sample_blocks_of(const Plan& plan, const KernelSpec& spec) {
  const bool is_normalisation =
      spec.kind == KernelKind::batch_norm && spec.phase == KernelPhase::forward;
  return is_normalisation ? 1 : plan.sample_blocks / plan.ranks;
}

}  // namespace cnnplan
