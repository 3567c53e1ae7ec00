// Builds random networks, one block of layers after another, and random plans for them.
#include "tests/planner/network/random_network.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planner/network/enumerators.hpp"
#include "planner/plan/sample_blocks.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/random_values.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t max_elements = 6000;  // of one layer's output, all samples
// A batch norm over fewer values would have gradients that almost cancel out.
constexpr std::int64_t min_normalised = 8;
constexpr std::array<std::int64_t, 9> channel_counts{1, 2, 3, 4, 6, 8, 12, 16, 17};

class NetworkBuilder {
 public:
  NetworkBuilder(RandomValues& random, std::int64_t batch) : random_(random), batch_(batch) {}

  Network build() {
    add_input();
    const int blocks = random_.small(1, 5);
    for (int i = 0; i < blocks; ++i) add_block();
    add_head();
    return Network("random", layers_);
  }

 private:
  // Every third ReLU is clipped, at a value that many elements exceed and many others do not reach.
  Relu relu() const { return layers_.size() % 3 == 0 ? Relu{.max = 1.25} : Relu{}; }
  bool one_in(int count) { return random_.small(1, count) == 1; }
  std::int64_t channels() {
    return channel_counts[static_cast<std::size_t>(random_.small(0, channel_counts.size() - 1))];
  }
  std::int64_t values_per_channel() const {
    return batch_ * shape_[Dim::d] * shape_[Dim::h] * shape_[Dim::w];
  }
  bool fits(const Shape& shape) const { return batch_ * volume(shape) <= max_elements; }

  std::string add(const LayerParameters& parameters, std::vector<std::string> inputs) {
    std::string name = std::string(kind_name(parameters)) + std::to_string(layers_.size());
    layers_.push_back({name, std::move(inputs), parameters});
    return last_ = name;
  }
  std::string add(const LayerParameters& parameters) { return add(parameters, {last_}); }

  void add_input() {
    const bool deep = one_in(4);
    const std::int64_t most = deep ? 7 : 17;
    Input input{.channels = random_.integer(1, 5)};
    input.size = {
        deep ? random_.integer(2, 5) : 1, random_.integer(1, most), random_.integer(1, most)};
    shape_ = {{1, input.channels, input.size[0], input.size[1], input.size[2]}};
    layers_.push_back({"input", {}, input});
    last_ = "input";
  }

  void add_block() {
    switch (random_.small(0, 11)) {
      case 0:
        return add_pooling();
      case 1:
        return add_residual();
      case 2:
        add(Dropout{.rate = 0.1 * static_cast<double>(random_.integer(1, 5))});
        return;
      case 3:
        add(layers_.size() % 2 == 0 ? LayerParameters(LeakyRelu{.slope = 0.25}) : relu());
        return;
      case 4:
        return add_concat();
      case 5:
        return add_upsample();
      case 6:
        return add_transposed();
      case 7:
        return add_slices();
      case 8:
        return add_shuffle();
      case 9:
        return add_response_norm();
      default:
        return add_convolutions();
    }
  }

  void add_convolutions() {
    add_convolution(random_convolution());
    add_batch_norm();
    if (random_.boolean()) add(relu());
  }

  // Adds a batch norm. The layer before it loses its bias, whose gradient would cancel out.
  void add_batch_norm() {
    if (values_per_channel() >= min_normalised && !one_in(3)) {
      LayerParameters& before = layers_.back().parameters;
      const bool reads_it = layers_.back().name == last_;
      auto* convolution = std::get_if<Convolution>(&before);
      if (convolution != nullptr && reads_it) convolution->bias = false;
      auto* transposed = std::get_if<TransposedConvolution>(&before);
      if (transposed != nullptr && reads_it) transposed->bias = false;
      add(BatchNorm{.epsilon = 1e-3, .momentum = 0.2});
    }
  }

  Shape shape_after(const Window& window, std::int64_t filters) const {
    Shape shape = shape_;
    shape[Dim::c] = filters;
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      shape[spatial_dims[i]] = output_length(shape_[spatial_dims[i]], window.dims[i]);
    }
    return shape;
  }

  std::string add_convolution(const Convolution& convolution) {
    shape_ = shape_after(convolution.window, convolution.filters);
    return add(convolution);
  }

  std::int64_t random_groups() {
    const std::int64_t in = shape_[Dim::c];
    std::int64_t groups = one_in(2) ? in : random_.integer(1, in);
    while (in % groups != 0) --groups;
    return groups;
  }

  Convolution random_convolution() {
    Convolution convolution{.filters = channels(), .bias = random_.boolean()};
    if (one_in(3)) {
      convolution.groups = random_groups();
      convolution.filters = convolution.groups * random_.integer(1, 3);
    }
    convolution.window = random_window();
    if (!fits(shape_after(convolution.window, convolution.filters))) convolution.window = {};
    if (!fits(shape_after(convolution.window, convolution.filters))) {
      convolution.filters = convolution.groups;
    }
    return convolution;
  }

  Window random_window() {
    Window window;
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      const std::int64_t length = shape_[spatial_dims[i]];
      if (i == 0 && length == 1) continue;
      WindowDim& dim = window.dims[i];
      dim.kernel = random_.integer(1, 5);
      dim.stride = random_.integer(1, 3);
      dim.dilation = one_in(3) ? random_.integer(1, 3) : 1;
      dim.padding_begin = one_in(3) ? random_.integer(0, dim.reach() - 1) : dim.reach() / 2;
      dim.padding_end = one_in(3) ? random_.integer(0, dim.reach() - 1) : dim.reach() / 2;
      if (output_length(length, dim) < 1) dim = {.stride = dim.stride};
    }
    return window;
  }

  void add_pooling() {
    Pooling pooling{.mode = random_.boolean() ? PoolingMode::max : PoolingMode::average,
                    .window = random_window(),
                    .count_include_padding = random_.boolean()};
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      WindowDim& dim = pooling.window.dims[i];
      // If taps were further apart than the input is long, a window might miss the whole input.
      dim.dilation = std::min(dim.dilation, shape_[spatial_dims[i]]);
      dim.padding_begin = std::min(dim.padding_begin, dim.reach() - 1);
      dim.padding_end = std::min(dim.padding_end, dim.reach() - 1);
    }
    const Shape pooled = shape_after(pooling.window, shape_[Dim::c]);
    if (volume(pooled) == 0 || !fits(pooled)) return;
    shape_ = pooled;
    add(pooling);
  }

  // Adds an upsampling, and usually a convolution that reads the neighbours of each value.
  void add_upsample() {
    Upsample upsample{.factor = {1, random_.integer(1, 3), random_.integer(1, 3)}};
    if (shape_[Dim::d] > 1) upsample.factor[0] = random_.integer(1, 2);
    upsample.mode = random_.enumerator<UpsampleMode>();
    upsample.align_corners = upsample.mode == UpsampleMode::linear && random_.boolean();
    Shape shape = shape_;
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      shape[spatial_dims[i]] *= upsample.factor[i];
    }
    if (!fits(shape)) return;
    shape_ = shape;
    add(upsample);
    if (!one_in(3)) add_convolution(random_convolution());
  }

  // Returns a layer whose kernel is often smaller than the stride, or whose taps are often further
  // apart.
  TransposedConvolution random_transposed() {
    TransposedConvolution transposed{.filters = channels(), .bias = random_.boolean()};
    if (one_in(3)) {
      transposed.groups = random_groups();
      transposed.filters = transposed.groups * random_.integer(1, 3);
    }
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      if (i == 0 && shape_[Dim::d] == 1) continue;
      WindowDim& dim = transposed.window.dims[i];
      dim.kernel = random_.integer(1, 4);
      dim.stride = random_.integer(1, 3);
      dim.dilation = one_in(3) ? random_.integer(2, 3) : 1;
      dim.padding_begin = one_in(2) ? random_.integer(0, dim.reach() - 1) : 0;
      dim.padding_end = one_in(2) ? random_.integer(0, dim.reach() - 1) : 0;
      transposed.output_padding[i] = random_.integer(0, dim.stride - 1);
    }
    return transposed;
  }

  // Adds a transposed convolution, and usually a batch norm.
  void add_transposed() {
    const TransposedConvolution transposed = random_transposed();
    Shape shape = shape_;
    shape[Dim::c] = transposed.filters;
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      std::int64_t& length = shape[spatial_dims[i]];
      length = transposed_length(length, transposed.window.dims[i], transposed.output_padding[i]);
      if (length < 1) return;
    }
    if (!fits(shape)) return;
    shape_ = shape;
    add(transposed);
    if (!one_in(3)) add_batch_norm();
    if (random_.boolean()) add(relu());
  }

  // Returns an odd kernel with "same" padding, so that a pointwise projection has as many outputs.
  Convolution same_convolution(std::int64_t filters, std::int64_t stride) {
    Convolution convolution{.filters = filters, .bias = random_.boolean()};
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      if (i == 0 && shape_[Dim::d] == 1) continue;
      const std::int64_t kernel = 2 * random_.integer(0, 2) + 1;
      convolution.window.dims[i] = {.kernel = kernel,
                                    .stride = stride,
                                    .padding_begin = kernel / 2,
                                    .padding_end = kernel / 2};
    }
    return convolution;
  }

  void add_residual() {
    const std::string source = last_;
    if (one_in(6)) {
      add(Add{}, {source, source});
      return;
    }
    const bool projects = random_.boolean();
    const Shape source_shape = shape_;
    const std::int64_t stride = projects ? random_.integer(1, 2) : 1;
    const std::int64_t filters = projects ? channels() : shape_[Dim::c];
    const Convolution main = same_convolution(filters, stride);
    if (!fits(shape_after(main.window, filters))) return;
    add_convolution(main);
    add_batch_norm();
    const std::string branch = last_;
    std::string shortcut = source;
    if (projects) {
      Convolution projection{.filters = filters};
      for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
        projection.window.dims[i].stride = main.window.dims[i].stride;
      }
      shape_ = source_shape;
      last_ = source;
      add_convolution(projection);
      add_batch_norm();
      shortcut = last_;
    }
    add(Add{}, random_.boolean() ? std::vector{branch, shortcut} : std::vector{shortcut, branch});
    if (random_.boolean()) add(relu());
  }

  // Adds a convolution of `filters` channels, or a pooling if `filters` is 0. All kernels keep the
  // extents, except for the stride.
  void add_branch(std::int64_t filters, std::int64_t stride) {
    const Convolution convolution = same_convolution(filters, stride);
    if (filters == 0) {
      shape_ = shape_after(convolution.window, shape_[Dim::c]);
      add(Pooling{.mode = random_.boolean() ? PoolingMode::max : PoolingMode::average,
                  .window = convolution.window});
      return;
    }
    add_convolution(convolution);
    if (random_.boolean()) return;
    add_batch_norm();
    add(relu());  // of one batch norm behind another, gradients are all cancellation
  }

  // Adds branches that begin at one tensor, which may also be a branch, and concatenates them. One
  // branch may come twice. Another concat may append the source.
  void add_concat() {
    const std::string source = last_;
    const Shape source_shape = shape_;
    const std::int64_t stride = one_in(3) ? 2 : 1;
    std::vector<std::int64_t> filters(static_cast<std::size_t>(random_.small(1, 3)));
    for (std::int64_t& count : filters) count = one_in(4) ? 0 : channels();
    std::int64_t most = 4 * source_shape[Dim::c];
    for (std::int64_t count : filters) most += 2 * std::max(count, source_shape[Dim::c]);
    if (!fits(shape_after(same_convolution(1, stride).window, most))) return;
    std::vector<std::string> inputs;
    std::vector<Shape> shapes;
    const auto join = [&] {
      inputs.push_back(last_);
      shapes.push_back(shape_);
    };
    if (stride == 1 && (filters.size() == 1 || one_in(3))) join();
    for (std::int64_t count : filters) {
      last_ = source;
      shape_ = source_shape;
      add_branch(count, stride);
      join();
    }
    if (inputs.size() == 1 || one_in(5)) {
      inputs.push_back(inputs.front());
      shapes.push_back(shapes.front());
    }
    add_joined(inputs, shapes);
    if (stride == 1 && one_in(4)) add_joined({source, last_}, {source_shape, shape_});
    if (one_in(6)) add(Add{}, {last_, last_});
    add_batch_norm();
  }

  // Adds slices of one tensor, which may overlap and leave channels out, and concatenates them. The
  // tensor itself may also be an input. Two slices may be halves, of which one goes through a
  // convolution.
  void add_slices() {
    const std::string source = last_;
    const Shape source_shape = shape_;
    const std::int64_t count = shape_[Dim::c];
    Shape widest = source_shape;
    widest[Dim::c] = 4 * count + channel_counts.back();
    if (!fits(widest)) return;
    std::vector<std::string> inputs;
    std::vector<Shape> shapes;
    const auto join = [&] {
      inputs.push_back(last_);
      shapes.push_back(shape_);
    };
    const auto slice = [&](std::int64_t first, std::int64_t channels) {
      shape_ = source_shape;
      shape_[Dim::c] = channels;
      add(Slice{.first_channel = first, .channels = channels}, {source});
    };
    if (count > 1 && one_in(2)) {
      slice(0, count / 2);
      join();
      slice(count / 2, count - count / 2);
      if (random_.boolean()) add_branch(channels(), 1);
      join();
    }
    while (inputs.size() < 2 || (inputs.size() < 3 && one_in(3))) {
      const std::int64_t first = random_.integer(0, count - 1);
      slice(first, random_.integer(1, count - first));
      join();
    }
    if (one_in(3)) {
      inputs.push_back(source);
      shapes.push_back(source_shape);
    }
    add_joined(inputs, shapes);
    if (random_.boolean()) add_shuffle();
  }

  void add_response_norm() {
    add(LocalResponseNorm{.size = random_.integer(1, 7),
                          .alpha = 0.25 * static_cast<double>(random_.integer(1, 8)),
                          .beta = one_in(3) ? 0.5 : 0.75,
                          .k = random_.boolean() ? 1.0 : 2.0});
  }

  void add_shuffle() {
    const std::int64_t count = shape_[Dim::c];
    std::int64_t groups = random_.integer(1, count);
    while (count % groups != 0) --groups;
    add(ChannelShuffle{.groups = groups});
  }

  void add_joined(const std::vector<std::string>& inputs, const std::vector<Shape>& shapes) {
    shape_ = shapes.front();
    shape_[Dim::c] = 0;
    for (const Shape& shape : shapes) shape_[Dim::c] += shape[Dim::c];
    add(Concat{}, inputs);
  }

  void add_head() {
    const std::int64_t classes = random_.integer(2, 7);
    if (one_in(3)) {
      const Window window = random_window();
      const bool small = fits(shape_after(window, classes));
      add_convolution({.filters = classes, .window = small ? window : Window{}, .bias = true});
    } else {
      if (random_.boolean()) {
        add(GlobalPooling{.mode = one_in(3) ? PoolingMode::max : PoolingMode::average});
      }
      add(FullyConnected{.outputs = classes, .bias = random_.boolean()});
    }
    if (one_in(5)) add(Concat{}, {last_, last_});
    if (one_in(4)) {
      add(MeanSquaredError{});
    } else {
      add(SoftmaxCrossEntropy{});
    }
  }

  RandomValues& random_;
  std::int64_t batch_;
  std::vector<Layer> layers_;
  std::string last_;
  Shape shape_;  // of one sample after the last layer
};

// Scales every third add. Its draws are separate, so everything else stays as it would be without
// them.
Network with_scaled_adds(const Network& network, std::uint64_t seed) {
  constexpr std::array scales{0.25, -0.5, 1.5};
  constexpr std::uint64_t stream = 0x5ca1ed;
  RandomValues random(seed ^ stream);
  std::vector<Layer> layers = network.layers().elements();
  for (Layer& layer : layers) {
    auto* add = std::get_if<Add>(&layer.parameters);
    if (add == nullptr || random.small(1, 3) > 1) continue;
    add->scale = scales[static_cast<std::size_t>(random.small(0, 2))];
  }
  return Network(network.name(), std::move(layers));
}

Mesh random_mesh(RandomValues& random, int ranks);

// Returns the layer before an auxiliary loss. It turns the output of another layer into the shape
// of the main loss's logits.
LayerParameters head_of(const Network& network) {
  const Shape logits = network.output_shape(network.loss_layer(), 1);
  if (volume(logits) == logits[Dim::c]) return FullyConnected{.outputs = logits[Dim::c]};
  return Convolution{.filters = logits[Dim::c], .bias = true};
}

// Returns false if a loss per position has other rows or columns.
bool fits_head(const Network& network, LayerIndex layer) {
  const Shape logits = network.output_shape(network.loss_layer(), 1);
  Shape own = network.output_shape(layer, 1);
  own[Dim::c] = logits[Dim::c];
  return volume(logits) == logits[Dim::c] || own == logits;
}

// Adds an auxiliary loss to every fourth network, with separate draws. Its layers follow the layer
// whose output they read.
void add_auxiliary_loss(Plan& plan, std::uint64_t seed) {
  constexpr std::array weights{0.25, 0.5, 2.0};
  constexpr std::uint64_t stream = 0xa0c5;
  RandomValues random(seed ^ stream);
  if (random.small(1, 4) > 1) return;
  const Network& network = plan.network;
  LayerIndex source(random.small(0, network.layer_count() - 2));
  while (!fits_head(network, source)) {
    source = LayerIndex((source + 1) % (network.layer_count() - 1));
  }
  const double weight = weights[static_cast<std::size_t>(random.small(0, 2))];
  const LayerParameters loss = has_targets(network)
                                   ? LayerParameters(MeanSquaredError{.weight = weight})
                                   : LayerParameters(SoftmaxCrossEntropy{.weight = weight});
  std::vector<Layer> layers = network.layers().elements();
  const auto behind = layers.begin() + source + 1;
  layers.insert(behind,
                {{"auxiliary_head", {network.layer(source).name}, head_of(network)},
                 {"auxiliary_loss", {"auxiliary_head"}, loss}});
  LayerPlan head{.mesh = random_mesh(random, plan.ranks)};
  LayerPlan end{.mesh = random.boolean() ? head.mesh : random_mesh(random, plan.ranks)};
  for (LayerPlan* layer : {&head, &end}) layer->statistics = BatchNormStatistics::global;
  std::vector<LayerPlan> plans = plan.layers.elements();
  plans.insert(plans.begin() + source + 1, {head, end});
  plan.layers = IndexedVector<LayerIndex, LayerPlan>(std::move(plans));
  plan.network = Network(network.name(), std::move(layers));
}

Mesh random_mesh(RandomValues& random, int ranks) {
  std::vector<MeshAxis> axes{{Axis::n}, {Axis::d}, {Axis::h}, {Axis::w}, {Axis::r}};
  for (int factor = 2; ranks > 1; ++factor) {
    for (; ranks % factor == 0; ranks /= factor) {
      // Axis d is drawn seldom, since only one rank along it has a block if the network has no
      // depth.
      const int choice = random.small(0, 8);
      axes[static_cast<std::size_t>(choice == 8 ? 1 : std::array{0, 2, 3, 4}[choice % 4])].size *=
          factor;
    }
  }
  for (std::size_t i = axes.size() - 1; i > 0; --i) {
    std::swap(axes[i], axes[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
  }
  return Mesh(axes);
}

// Returns a mesh in which one of the axes is c.
Mesh with_channels(RandomValues& random, const Mesh& mesh) {
  std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
  if (!axes.empty()) {
    const std::int64_t last = static_cast<std::int64_t>(axes.size()) - 1;
    axes[static_cast<std::size_t>(random.integer(0, last))].axis = Axis::c;
  }
  return Mesh(axes);
}

// Gives every other convolution an interior and strips.
void set_halo_method(Plan& plan, LayerIndex layer, std::uint64_t seed) {
  if (!has_halo_method(plan.network.layer(layer).parameters)) return;
  const bool is_cut = (seed + static_cast<std::uint64_t>(layer)) % 2 == 0;
  plan.layers[layer].halo = is_cut ? HaloMethod::interior_strips : HaloMethod::exchange_first;
}

// Gives small sums two other algorithms in every other plan.
void set_small_allreduces(Plan& plan, std::uint64_t seed) {
  if (seed % 2 == 0) return;
  const auto first =
      plan.sharded_update ? AllreduceAlgorithm::library : AllreduceAlgorithm::recursive_doubling;
  const auto second =
      plan.sharded_update ? AllreduceAlgorithm::ring : AllreduceAlgorithm::rabenseifner;
  plan.small_gradient_allreduces = {{.max_bytes = 64, .algorithm = first},
                                    {.max_bytes = 512, .algorithm = second}};
}

AllreduceAlgorithm random_algorithm(RandomValues& random) {
  return random.enumerator<AllreduceAlgorithm>();
}

}  // namespace

Mesh random_mesh(std::uint64_t seed, int ranks) {
  RandomValues random(seed);
  return random_mesh(random, ranks);
}

Plan random_plan(std::uint64_t seed, int ranks) {
  RandomValues random(seed);
  const std::int64_t batch = random.integer(1, 6);
  Plan plan =
      uniform_plan(NetworkBuilder(random, batch).build(), batch, random_mesh(random, ranks));
  for (const LayerIndex i : plan.layers.indices()) {
    LayerPlan& layer = plan.layers[i];
    const bool keeps = i > 0 && random.small(1, 3) > 1;
    layer.mesh = keeps ? plan.layers[i - 1].mesh : random_mesh(random, ranks);
    layer.statistics = BatchNormStatistics::global;
  }
  plan.gradient_allreduce = random_algorithm(random);
  plan.statistics_allreduce = random_algorithm(random);
  plan.sharded_update = has_halves(plan.gradient_allreduce) && batch % 2 == 0;
  plan.ranks_per_node = 1 + plan.ranks / 2;
  constexpr std::array<std::int64_t, 4> bucket_bytes{1, 256, 4096, std::int64_t{32} << 20};
  plan.bucket_bytes = bucket_bytes[static_cast<std::size_t>(random.small(0, 3))];
  for (const LayerIndex layer : plan.network.layers().indices()) {
    plan.layers[layer].recompute =
        can_recompute(plan.network.layer(layer).parameters) && random.small(1, 3) == 1;
    set_halo_method(plan, layer, seed);
  }
  set_small_allreduces(plan, seed);
  plan.network = with_scaled_adds(plan.network, seed);
  add_auxiliary_loss(plan, seed);
  return plan;
}

Plan random_row_plan(std::uint64_t seed, int ranks) {
  Plan plan = random_plan(seed, ranks);
  const bool is_deep = plan.network.output_shape(LayerIndex(0), 1)[Dim::d] > 1;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    LayerPlan& own = plan.layers[layer];
    own.mesh = Mesh({{is_deep ? Axis::d : Axis::h, ranks}});
    const bool is_convolution = has_halo_method(plan.network.layer(layer).parameters);
    if (is_convolution) own.halo = HaloMethod::interior_strips;
  }
  return plan;
}

Plan random_block_plan(std::uint64_t seed, int ranks) {
  constexpr std::array algorithms{AllreduceAlgorithm::recursive_doubling,
                                  AllreduceAlgorithm::rabenseifner};
  Plan plan = random_plan(seed, 1);
  plan.ranks = ranks;
  plan.sample_blocks = 8;
  plan.batch = plan.sample_blocks * static_cast<std::int64_t>(1 + seed % 3);
  plan.sharded_update = false;
  plan.gradient_allreduce = algorithms[seed % 2];
  plan.small_gradient_allreduces = {{.max_bytes = 512, .algorithm = algorithms[(seed + 1) % 2]}};
  plan.statistics_allreduce = algorithms[(seed + 1) % 2];
  for (LayerPlan& layer : plan.layers) layer.mesh = sample_mesh(ranks);
  return plan;
}

Plan random_channel_plan(std::uint64_t seed, int ranks) {
  Plan plan = random_plan(seed, ranks);
  RandomValues random(seed + 1);
  for (const LayerIndex layer : plan.network.layers().indices()) {
    LayerPlan& split = plan.layers[layer];
    const bool keeps = layer > 0 && random.small(1, 3) > 1;
    Mesh mesh = with_channels(random, split.mesh);
    if (keeps) mesh = plan.layers[layer - 1].mesh;
    const auto algorithm = mixes_channels(plan.network.layer(layer).parameters)
                               ? random.enumerator<ChannelAlgorithm>()
                               : ChannelAlgorithm::stationary_y;
    const int parts = mesh.size(Axis::c);
    if (!channel_split_refusal(plan.network, layer, parts, algorithm).empty()) continue;
    split.mesh = mesh;
    split.channel_algorithm = algorithm;
  }
  return plan;
}

}  // namespace cnnplan::test
