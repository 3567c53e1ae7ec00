// Makes small values of all files, whose fields differ from their defaults.
#include "tests/planner/json/samples.hpp"

#include "planner/base/file.hpp"

namespace cnnplan::test {
namespace {

WindowDim window_dim(std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return {.kernel = kernel, .stride = stride, .padding_begin = padding, .padding_end = padding};
}

Window window_2d(const WindowDim& dim) {
  return {{WindowDim{}, dim, dim}};
}

Convolution sample_convolution() {
  Window window{{WindowDim{}, window_dim(3, 2, 1), window_dim(5, 1, 2)}};
  window.dims[1].padding_end = 2;
  window.dims[2].dilation = 2;
  return {.filters = 8, .window = window, .groups = 2, .bias = true};
}

TransposedConvolution sample_transposed_convolution() {
  Window window{{window_dim(3, 2, 1), window_dim(5, 1, 2), window_dim(2, 3, 0)}};
  window.dims[1].padding_end = 3;
  window.dims[2].dilation = 2;
  return {.filters = 6, .window = window, .output_padding = {1, 0, 2}, .groups = 2, .bias = true};
}

std::vector<InputFile> sample_inputs() {
  return {{.file = "network.json", .sha256 = sha256("network")},
          {.file = "pro file.json", .sha256 = sha256("profile")}};
}

KernelSpec sample_convolution_kernel() {
  KernelSpec spec;
  spec.phase = KernelPhase::backward_filter;
  spec.in = {{2, 4, 1, 17, 16}};
  spec.out = {{2, 8, 1, 8, 16}};
  spec.window.dims = {WindowDim{}, window_dim(3, 2, 0), window_dim(3, 1, 1)};
  spec.window.dims[1].padding_end = 1;
  spec.window.dims[2].dilation = 3;
  spec.groups = 2;
  spec.bias = true;
  spec.precision = Precision::fp64;
  spec.algorithm = KernelAlgorithm::winograd;
  return spec;
}

KernelSpec sample_pooling_kernel() {
  KernelSpec spec;
  spec.kind = KernelKind::pooling;
  spec.in = {{2, 8, 1, 8, 8}};
  spec.out = {{2, 8, 1, 4, 4}};
  spec.window = window_2d(window_dim(2, 2, 0));
  spec.pooling = PoolingMode::average;
  spec.count_include_padding = true;
  return spec;
}

KernelSpec sample_upsample_kernel() {
  KernelSpec spec;
  spec.kind = KernelKind::upsample;
  spec.phase = KernelPhase::backward_data;
  spec.in = {{2, 8, 1, 4, 4}};
  spec.out = {{2, 8, 1, 7, 8}};
  spec.window.dims[1] = {.kernel = 2, .stride = 2, .padding_end = 1};
  spec.window.dims[2] = {.kernel = 2, .stride = 2};
  return spec;
}

KernelSpec sample_channel_shuffle_kernel() {
  KernelSpec spec;
  spec.kind = KernelKind::channel_shuffle;
  spec.in = spec.out = {{2, 8, 1, 4, 4}};
  spec.groups = 2;
  return spec;
}

KernelSpec sample_local_response_norm_kernel() {
  KernelSpec spec;
  spec.kind = KernelKind::local_response_norm;
  spec.in = spec.out = {{2, 8, 1, 4, 4}};
  spec.local_size = 5;
  return spec;
}

KernelSpec sample_batch_norm_kernel() {
  KernelSpec spec;
  spec.kind = KernelKind::batch_norm;
  spec.phase = KernelPhase::backward_statistics;
  spec.in = spec.out = {{2, 8, 1, 4, 4}};
  spec.relu = true;
  spec.residual = true;
  spec.second_dy = true;
  return spec;
}

RivalSettings sample_settings() {
  return {
      .layers = {{.first = LayerIndex(0), .split = {.mesh = parse_mesh("h4")}},
                 {.first = LayerIndex(1),
                  .split = {.mesh = parse_mesh("h4")},
                  .halo = HaloMethod::interior_strips},
                 {.first = LayerIndex(2), .split = {.mesh = parse_mesh("h4")}, .recompute = true},
                 {.first = LayerIndex(4), .split = {.mesh = parse_mesh("h4")}},
                 {.first = LayerIndex(9),
                  .split = {.mesh = parse_mesh("c4"),
                            .channel_algorithm = ChannelAlgorithm::stationary_x}},
                 {.first = LayerIndex(10), .split = {.mesh = parse_mesh("r4")}}},
      .gradient_allreduce = AllreduceAlgorithm::library,
      .small_gradient_allreduces = {{.max_bytes = 512, .algorithm = AllreduceAlgorithm::ring}},
      .statistics_allreduce = AllreduceAlgorithm::ring,
      .ranks_per_node = 2};
}

std::vector<Rival> sample_rivals() {
  return {{.plan = "n2",
           .ranks = 2,
           .step_s = 0.5,
           .memory_bytes = 100,
           .fits = false,
           .reduced_gradients = 24,
           .parts = {{.part = OperationPart::forward, .critical_s = 0.3},
                     {.part = OperationPart::halo, .critical_s = 0.2}},
           .draws_s = {0.5, 0.6}},
          {.kind = RivalKind::next,
           .plan = "h4",
           .ranks = 4,
           .step_s = 0.26,
           .parts = {},
           .settings = sample_settings()}};
}

std::vector<UnitMargin> sample_margins() {
  return {{.layers = {"conv", "bn", "relu"}, .runner_up = "h2w2", .margin_s = -0.001},
          {.layers = {"loss"},
           .runner_up = "r4",
           .margin_s = 0.002,
           .changes = {{.layer = "hidden",
                        .split = {.mesh = parse_mesh("c4"),
                                  .channel_algorithm = ChannelAlgorithm::stationary_x},
                        .recompute = true},
                       {.layer = "loss", .split = {.mesh = parse_mesh("r4")}}}},
          {.layers = {"data"}}};
}

EstimatedFamily sample_family() {
  return {.family = {.kind = KernelKind::convolution,
                     .phase = KernelPhase::backward_data,
                     .precision = Precision::bf16,
                     .algorithm = KernelAlgorithm::winograd}};
}

std::vector<PredictedOperation> sample_operations() {
  return {{.id = "conv/forward",
           .predicted_s = 0.125,
           .estimated = true,
           .critical_s = 0.25,
           .place = {.part = OperationPart::forward, .layer = "conv"}},
          {.id = "loss/backward_data",
           .predicted_s = 1e-6,
           .place = {.part = OperationPart::backward_data, .layer = "loss", .level = 1}},
          {.id = "reduce/0", .place = {.part = OperationPart::gradient_reduction}}};
}

Prediction sample_prediction() {
  return {
      .step_s = 0.25,
      .low_s = 0.2,
      .high_s = 0.3,
      .exposed_communication_s = 0.01,
      .inference_s = 0.09,
      .operations = sample_operations(),
      .memory = {.parameters_bytes = 1,
                 .activations_bytes = 2,
                 .buffers_bytes = 3,
                 .available_bytes = 4,
                 .process_bytes = 5},
      .baseline = "n4",
      .baseline_s = 0.5,
      .bound_s = 0.24,
      .gap = 0.25 / 0.24 - 1,
      .runner_up = "h4",
      .runner_up_s = 0.26,
      .candidates = 77,
      .pruned = 78,
      .outpriced = 79,
      .estimated_kernels = {"convolution/forward in=1x1x1x1x1"},
      .estimated_families = {sample_family()},
      .margins = sample_margins(),
      .margins_sum = {.rank = 1},
      .partitioning = {.plan = "multigrid n2l2",
                       .step_s = 0.5,
                       .sample_ranks = 2,
                       .steps = {{.step_s = 0.4, .fits = false}, {.partitions = 2, .step_s = 0.5}}},
      .reduced_gradients = 12,
      .rivals = sample_rivals(),
      .draws = {.figures = {{.figure = "kernel.convolution", .error = 0.2, .factors = {0.9, 1.1}}},
                .steps_s = {0.24, 0.26}}};
}

MeasuredSteps sample_trace() {
  const RankClock late{.offset_s = -12.5, .drift = 0.03125, .round_trip_s = 2e-6};
  const OperationTimes first{.begin_ns = {0, 1700}, .duration_ns = {1600, 43}};
  const OperationTimes second{.begin_ns = {9000, 9900}, .duration_ns = {900, 44}};
  const OperationTimes third{.begin_ns = {5}, .duration_ns = {6}};
  const OperationTimes fourth{.begin_ns = {8}, .duration_ns = {9}};
  return {.first_step = 7,
          .ranks = {{.operations = {0, 1}, .steps = {first, second}},
                    {.clock = late, .operations = {1, 0}, .steps = {second, first}},
                    {.operations = {0}, .steps = {third, fourth}},
                    {.steps = std::vector<OperationTimes>(2)}}};
}

}  // namespace

Network sample_network() {
  Window pooling_window = window_2d(window_dim(3, 2, 1));
  pooling_window.dims[2].dilation = 2;
  pooling_window.dims[2].padding_end = 0;
  return Network(
      "sample",
      {{"data", {}, Input{.channels = 4, .size = {1, 24, 20}}},
       {"conv", {"data"}, sample_convolution()},
       {"bn", {"conv"}, BatchNorm{.epsilon = 1e-3, .momentum = 0.25}},
       {"relu", {"bn"}, Relu{}},
       {"side", {"conv"}, Convolution{.filters = 8}},
       {"sum", {"relu", "side"}, Add{.scale = -0.375}},
       {"join", {"side", "sum", "side"}, Concat{}},
       {"pool",
        {"join"},
        Pooling{
            .mode = PoolingMode::average, .window = pooling_window, .count_include_padding = true}},
       {"drop", {"pool"}, Dropout{.rate = 0.125}},
       {"hidden", {"drop"}, FullyConnected{.outputs = 16, .bias = false}},
       {"last", {"hidden"}, GlobalPooling{.mode = PoolingMode::max}},
       {"loss", {"last"}, SoftmaxCrossEntropy{}}});
}

Network sample_network_3d() {
  const Window window{{window_dim(3, 2, 1), window_dim(5, 1, 2), window_dim(1, 1, 0)}};
  return Network(
      "sample-3d",
      {{"volume", {}, Input{.channels = 2, .size = {8, 12, 10}}},
       {"conv", {"volume"}, Convolution{.filters = 4, .window = window}},
       {"pool", {"conv"}, Pooling{.window = {{window.dims[2], window.dims[0], window.dims[0]}}}},
       {"up",
        {"pool"},
        Upsample{.factor = {2, 1, 3}, .mode = UpsampleMode::linear, .align_corners = true}},
       {"raise", {"up"}, sample_transposed_convolution()},
       {"shuffle", {"raise"}, ChannelShuffle{.groups = 2}},
       {"part", {"shuffle"}, Slice{.first_channel = 1, .channels = 3}},
       {"response", {"part"}, LocalResponseNorm{.size = 3, .alpha = 0.5, .beta = 0.5, .k = 2}},
       {"clip", {"response"}, Relu{.max = 1.5}},
       {"leak", {"clip"}, LeakyRelu{.slope = 0.25}},
       {"product", {"leak", "clip"}, Pointwise{.operation = "Mul"}},
       {"loss", {"product"}, MeanSquaredError{}}});
}

KernelRates sample_kernel_rates() {
  const ConvolutionRates forward{.overhead_s = 1.5e-5,
                                 .efficiency = {.pointwise = 0.75,
                                                .three_by_three = 1.75,
                                                .strided = 0.5,
                                                .other = 0.625,
                                                .three_dimensional = 0.375},
                                 .outputs_half = 250000,
                                 .channels_half = 0.375,
                                 .filters_half = 3.5};
  ConvolutionRates backward = forward;
  backward.overhead_s = 2.5e-5;
  PrecisionRates fp32{.precision = Precision::fp32,
                      .flops_per_s = 1.5e13,
                      .low_factor = 0.6875,
                      .high_factor = 1.4375,
                      .forward = forward,
                      .backward_data = backward,
                      .backward_filter = backward};
  fp32.backward_filter.outputs_half = 4000;
  PrecisionRates fp16 = fp32;
  fp16.precision = Precision::fp16;
  fp16.flops_per_s = 1.25e14;
  return {.source = "fitted by hand",
          .bytes_per_s = 8.1e11,
          .overhead_s = 5e-6,
          .precisions = {fp32, fp16}};
}

Platform sample_platform() {
  const std::vector<Segment> segments{
      {.max_bytes = 4096, .alpha_s = 3e-7, .beta_s_per_byte = 1.0 / 29e9},
      {.max_bytes = 64 << 20, .alpha_s = 1.25e-6, .beta_s_per_byte = 1.0 / 5.8e9}};
  return {.name = "two nodes",
          .device = "CPU \"fast\"; 1 thread",
          .memory_bytes = std::int64_t{16} << 30,
          .process_bytes = std::int64_t{48} << 20,
          .levels = {{.name = "node",
                      .ranks_per_group = 4,
                      .segments = segments,
                      .duplex_factor = 1.5,
                      .shared_by = 2,
                      .ring_segments = {segments[1]},
                      .reduce_scatter_segments = {segments[0]},
                      .allgather_segments = segments},
                     {.name = "cluster",
                      .ranks_per_group = 8,
                      .segments = {segments[1]},
                      .exchange_segments = segments}},
          .allreduce =
              {{.ranks = 2, .segments = segments, .ranks_per_node = 1, .groups_at_once = 4},
               {.ranks = 8, .segments = {segments[1]}, .kind = CollectiveKind::reduce_scatter}},
          .gamma_s_per_byte = 1e-10,
          .copy_s_per_byte = 3.4482758620689654e-11,
          .overlap_efficiency = 0.0625,
          .launch_s = 2e-7,
          .kernels = sample_kernel_rates(),
          .measured = true,
          .inputs = sample_inputs()};
}

Profile sample_profile() {
  Profile profile{.fingerprint = {.device = "CPU, 1 thread",
                                  .backend = "onednn",
                                  .library = "oneDNN 2.6.3",
                                  .busy_ranks = 2},
                  .kernels = {}};
  const KernelTiming timing{.repetitions = 12,
                            .median_s = 1.5e-3,
                            .mean_s = 1.6e-3,
                            .stddev_s = 2e-5,
                            .min_s = 1.4e-3,
                            .rank_spread_s = 3e-5,
                            .workspace_bytes = 4096,
                            .implementation = "brgconv:avx512_core"};
  profile.kernels[canonical(sample_convolution_kernel())] = timing;
  profile.kernels[canonical(sample_pooling_kernel())] = {.repetitions = 10, .median_s = 0.1};
  profile.kernels[canonical(sample_upsample_kernel())] = {.repetitions = 10, .median_s = 0.2};
  profile.kernels[canonical(sample_channel_shuffle_kernel())] = {.repetitions = 9, .median_s = 0.3};
  profile.kernels[canonical(sample_local_response_norm_kernel())] = timing;
  profile.kernels[canonical(sample_batch_norm_kernel())] = timing;
  profile.inputs = sample_inputs();
  profile.step_overhead_s = 7e-5;
  return profile;
}

Plan sample_plan() {
  Plan plan = uniform_plan(sample_network(), 6, Mesh({{Axis::n, 2}, {Axis::h, 2}}));
  plan.layers[LayerIndex(1)].mesh = Mesh({{Axis::w, 4}});
  plan.layers[LayerIndex(1)].channel_algorithm = ChannelAlgorithm::stationary_x;
  plan.layers[LayerIndex(1)].halo = HaloMethod::interior_strips;
  plan.layers[LayerIndex(1)].algorithms = {{KernelPhase::forward, KernelAlgorithm::winograd},
                                           {KernelPhase::backward_filter, KernelAlgorithm::direct}};
  plan.layers[LayerIndex(2)].statistics = BatchNormStatistics::global;
  plan.precision = Precision::fp64;
  plan.device = "CPU, 1 thread";
  plan.device_kind = DeviceKind::cpu;
  plan.gradient_allreduce = AllreduceAlgorithm::library;
  plan.statistics_allreduce = AllreduceAlgorithm::ring;
  plan.small_gradient_allreduces = {
      {.max_bytes = 1024, .algorithm = AllreduceAlgorithm::recursive_doubling},
      {.max_bytes = 1 << 16, .algorithm = AllreduceAlgorithm::rabenseifner}};
  plan.ranks_per_node = 2;
  plan.bucket_bytes = 1 << 20;
  plan.overlap = true;
  plan.prediction = sample_prediction();
  plan.inputs = sample_inputs();
  return plan;
}

Plan sample_chain_plan() {
  constexpr int blocks = 5;
  std::vector<Layer> layers{{"data", {}, Input{.channels = 2, .size = {1, 3, 3}}},
                            {"open", {"data"}, Convolution{.filters = 2}}};
  for (int i = 0; i < blocks; ++i) {
    const std::string name = "b" + std::to_string(i);
    const std::string input = layers.back().name;
    layers.push_back({name, {input}, Convolution{.filters = 2}});
    layers.push_back({name + "_add", {input, name}, Add{.scale = 0.25}});
  }
  layers.push_back({"fc", {layers.back().name}, FullyConnected{.outputs = 2}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  Plan plan = uniform_plan(Network("chain", layers), 4, Mesh({{Axis::r, 6}}));
  constexpr LayerIndex first(2);
  for (LayerIndex i = first; i < first + 2 * blocks; ++i) {
    plan.layers[i] = {.mesh = Mesh({{Axis::n, 2}, {Axis::l, 3}}), .stage = (i - first) / 4};
  }
  plan.multigrid = {{.first = first,
                     .last = first + 2 * blocks - 1,
                     .coarsening = 2,
                     .levels = 3,
                     .cycles = 5,
                     .relaxation = Relaxation::fcf,
                     .first_guess = FirstGuess::previous,
                     .concurrency = 4}};
  return plan;
}

RunReport sample_run() {
  const Measured time{.median_s = 0.25, .min_s = 0.2, .max_s = 0.5, .count = 20};
  return {.network = "sample",
          .ranks = 4,
          .batch = 6,
          .backend = "onednn",
          .device = "CPU, 1 thread",
          .step = time,
          .operations = {{.id = "conv/forward",
                          .time = time,
                          .ranks = 4,
                          .place = {.part = OperationPart::forward, .layer = "conv", .level = 0}},
                         {.id = "conv/halo",
                          .time = {.median_s = 1e-5},
                          .ranks = 2,
                          .place = {.part = OperationPart::halo, .layer = "conv"}}},
          .loss = {2.302585092994046, -0.5, 1e-300},
          .gradient_checks = {{.step = 0,
                               .cycles = 2,
                               .cosine = 0.75,
                               .relative_error = 0.125,
                               .forward_residuals = {0.5, 0.25, 3e-9},
                               .backward_residuals = {1.5, 0.375, 4e-9}},
                              {.step = 9, .cycles = 3, .cosine = -0.0625, .relative_error = 7.5}},
          .test_accuracy = {0.5, 0.89},
          .peak_memory_bytes = 123456789,
          .process_peak_bytes = 234567891,
          .in_turns = true,
          .environment = {{"MPI", "Open MPI 4.1.4"}, {"host/name", "a~b"}, {"host", "ci-7"}},
          .inputs = sample_inputs(),
          .trace = sample_trace()};
}

Checkpoint sample_checkpoint() {
  const Shape weight{{3, 2, 1, 1, 1}};
  Box upper = whole(weight);
  Box lower = upper;
  upper[Dim::n] = {0, 2};
  lower[Dim::n] = {2, 3};
  const Shape channels{{1, 1, 1, 1, 3}};
  const Plan plan = sample_chain_plan();
  return {.plan_sha256 = std::string(64, '8'),
          .network = plan.network,
          .batch = 6,
          .seed = 18446744073709551615U,
          .samples = 60000,
          .step = 3,
          .generation = 2,
          .learning_rate = 0.0625,
          .momentum = 0.875,
          .weight_decay = 0.03125,
          .loss_scale = 1024.0,
          .crop = 4,
          .mirror = true,
          .sample_blocks = 4,
          .loss = {2.302585092994046, -0.5, 1e-300},
          .test_accuracy = {0.25},
          .gradient_checks = sample_run().gradient_checks,
          .raised_cycles = {{.first = plan.multigrid[0].first,
                             .last = plan.multigrid[0].last,
                             .cycles = 3}},
          .element = ElementType::fp64,
          .parts = {{.file = "part-2-0.bin", .bytes = 80, .sha256 = std::string(64, 'a')},
                    {.file = "part-2-1.bin", .bytes = 40, .sha256 = std::string(64, 'b')}},
          .tensors = {{.name = "/conv/weight",
                       .shape = weight,
                       .slices = {{.part = 0, .offset_bytes = 24, .box = upper},
                                  {.part = 1, .offset_bytes = 24, .box = lower}}},
                      {.name = "/bn/mean",
                       .shape = channels,
                       .slices = {{.part = 0, .box = whole(channels), .share = 0.75},
                                  {.part = 1, .box = whole(channels), .share = 0.25}}}}};
}

}  // namespace cnnplan::test
