// Tests Network: refusals by their fields, links between layers, sizes.
#include "planner/network/network.hpp"

#include <array>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/base/random_values.hpp"

namespace cnnplan::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

const Layer data{"data", {}, Input{.channels = 4, .size = {1, 8, 8}}};
const Layer loss{"loss", {"fc"}, SoftmaxCrossEntropy{}};

// Returns a network of the layers data, the given layer (number 1, with an input of 4x1x8x8), fc
// and loss.
Network network_with(Layer layer) {
  Layer fc{"fc", {layer.name}, FullyConnected{.outputs = 3}};
  return Network("test", {data, std::move(layer), std::move(fc), loss}, "net.json");
}

Network network_with(const LayerParameters& parameters) {
  return network_with(Layer{"x", {"data"}, parameters});
}

Window height_window(const WindowDim& dim) {
  return {{WindowDim{}, dim, WindowDim{}}};
}
Convolution convolution(const WindowDim& dim) {
  return {.filters = 4, .window = height_window(dim)};
}

TransposedConvolution transposed(const WindowDim& dim, std::int64_t output_padding = 0) {
  return {.filters = 4, .window = height_window(dim), .output_padding = {0, output_padding, 0}};
}

// Builds a network that pools an input of `length` rows.
void pool(const WindowDim& dim, std::int64_t length) {
  Network("test",
          {{"data", {}, Input{.channels = 1, .size = {1, length, 1}}},
           {"x", {"data"}, Pooling{.window = height_window(dim)}},
           {"loss", {"x"}, SoftmaxCrossEntropy{}}},
          "net.json");
}

// Looks at every tap of every window, as the definition says.
bool every_window_holds_input(const WindowDim& dim, std::int64_t length) {
  for (std::int64_t i = 0; i < output_length(length, dim); ++i) {
    bool holds = false;
    for (std::int64_t tap = 0; tap < dim.kernel; ++tap) {
      const std::int64_t position = i * dim.stride - dim.padding_begin + tap * dim.dilation;
      holds = holds || (position >= 0 && position < length);
    }
    if (!holds) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Network: refusals of one layer name file, pointer, value and what is allowed") {
  struct Row {
    Layer layer;
    const char* pointer;
    const char* value;
    const char* allowed;
  };
  const auto of = [](const LayerParameters& parameters) {
    return Layer{"x", {"data"}, parameters};
  };
  const std::vector<Row> rows{
      {{"", {"data"}, Relu{}}, "/layers/1/name", "\"\"", "not empty"},
      {{"a/b", {"data"}, Relu{}}, "/layers/1/name", "\"a/b\"", "no \"/\""},
      {{"data", {"data"}, Relu{}}, "/layers/1/name", "\"data\"", "no other layer has"},
      {{"prev", {"data"}, Relu{}}, "/layers/1/name", "\"prev\"", "a name other than"},
      {{"reduce", {"data"}, Relu{}}, "/layers/1/name", "\"reduce\"", "a name other than"},
      {{"sgd", {"data"}, Relu{}}, "/layers/1/name", "\"sgd\"", "\"repeat_input\" and \"sgd\""},
      {{"loss", {"data"}, Relu{}}, "/layers/1/name", "\"loss\"", "files call the loss so"},
      {{"x", {}, Relu{}}, "/layers/1/input", "0 inputs", "1 for relu"},
      {{"x", {"data"}, Add{}}, "/layers/1/inputs", "1 inputs", "2 for add"},
      {{"x", {"data", "none"}, Add{}}, "/layers/1/inputs", "\"none\"", "listed before"},
      {{"x", {"data"}, Concat{}}, "/layers/1/inputs", "1 inputs", "at least 2 for concat"},
      {{"x", {"data", "none"}, Concat{}}, "/layers/1/inputs", "\"none\"", "listed before"},
      {{"x", {"data"}, Input{}}, "/layers/1/input", "1 inputs", "0 for input"},
      {{"x", {"x"}, Relu{}}, "/layers/1/input", "\"x\"", "listed before"},
      {{"x", {"fc"}, Relu{}}, "/layers/1/input", "\"fc\"", "listed before"},
      {{"x", {"none"}, Relu{}}, "/layers/1/input", "\"none\"", "listed before"},
      {of(Convolution{.filters = 0}), "/layers/1/filters", "0", "at least 1"},
      {of(Convolution{.filters = 4, .groups = 0}), "/layers/1/groups", "0", "4 channels"},
      {of(Convolution{.filters = 6, .groups = 3}), "/layers/1/groups", "3", "4 channels"},
      {of(Convolution{.filters = 6, .groups = 4}), "/layers/1/groups", "4", "6 filters"},
      {of(convolution({.kernel = 0})), "/layers/1/kernel", "0", "at least 1"},
      {of(convolution({.stride = 0})), "/layers/1/stride", "0", "at least 1"},
      {of(convolution({.dilation = 0})), "/layers/1/dilation", "0", "at least 1"},
      {of(convolution({.kernel = 9})), "/layers/1/kernel", "9", "extent 8"},
      {of(convolution({.kernel = 3, .padding_begin = 3})), "/layers/1/padding", "3", "1 = 2"},
      {of(convolution({.kernel = 3, .padding_begin = -1})), "/layers/1/padding", "-1", "1 = 2"},
      {of(convolution({.kernel = 3, .padding_end = 3})), "/layers/1/padding_end", "3", "1 = 2"},
      {of(Pooling{.window = height_window({.kernel = 0})}), "/layers/1/kernel", "0", "at least 1"},
      {of(FullyConnected{.outputs = 0}), "/layers/1/outputs", "0", "at least 1"},
      {of(transposed({.kernel = 0})), "/layers/1/kernel", "0", "at least 1"},
      {of(transposed({.stride = 0})), "/layers/1/stride", "0", "at least 1"},
      {of(transposed({.kernel = 3, .padding_begin = 3})), "/layers/1/padding", "3", "1 = 2"},
      {of(transposed({.kernel = 3, .padding_end = -1})), "/layers/1/padding_end", "-1", "1 = 2"},
      {of(transposed({.stride = 2}, 2)), "/layers/1/output_padding", "2", "1 = 1"},
      {of(transposed({.stride = 2}, -1)), "/layers/1/output_padding", "-1", "1 = 1"},
      {of(transposed({.kernel = 10, .padding_begin = 9, .padding_end = 9})),
       "/layers/1/padding",
       "9",
       "leaves some of 17 outputs"},
      {of(TransposedConvolution{.filters = 6, .groups = 3}), "/layers/1/groups", "3", "4 channels"},
      {of(TransposedConvolution{.filters = 0}), "/layers/1/filters", "0", "at least 1"},
      {of(Upsample{.factor = {1, 0, 2}}), "/layers/1/factor", "0", "at least 1"},
      {of(Upsample{.align_corners = true}), "/layers/1/align_corners", "true", "nearest"},
      {of(Slice{.first_channel = -1}), "/layers/1/first_channel", "-1", "0 to 3"},
      {of(Slice{.first_channel = 4}), "/layers/1/first_channel", "4", "0 to 3"},
      {of(Slice{.channels = 0}), "/layers/1/channels", "0", "1 to 4"},
      {of(Slice{.first_channel = 3, .channels = 2}), "/layers/1/channels", "2", "1 to 1"},
      {of(ChannelShuffle{.groups = 0}), "/layers/1/groups", "0", "divisor of 4 channels"},
      {of(LocalResponseNorm{.size = 0}), "/layers/1/size", "0", "1 to 2147483647"},
      {of(LocalResponseNorm{.size = std::int64_t{1} << 31}),
       "/layers/1/size",
       "2147483648",
       "1 to 2147483647"},
      {of(LocalResponseNorm{.alpha = -1}), "/layers/1/alpha", "-1", "at least 0"},
      {of(LocalResponseNorm{.beta = -1}), "/layers/1/beta", "-1", "at least 0"},
      {of(LocalResponseNorm{.k = 0}), "/layers/1/k", "0", "above 0"},
      {of(ChannelShuffle{.groups = 3}), "/layers/1/groups", "3", "divisor of 4 channels"},
      {{"repeat_input", {"data"}, Relu{}}, "/layers/1/name", "\"repeat_input\"", "other than"},
      {{"x", {"data", "data"}, Add{.scale = 0}}, "/layers/1/scale", "0.0", "finite, not 0"},
      {{"x", {"data", "data"}, Add{.scale = infinity}}, "/layers/1/scale", "inf", "finite"},
      {{"x", {"data", "data"}, Add{.scale = not_a_number}}, "/layers/1/scale", "nan", "finite"},
      {of(Relu{.max = 0}), "/layers/1/max", "0.0", "above 0"},
      {of(BatchNorm{.epsilon = 0}), "/layers/1/epsilon", "0.0", "above 0"},
      {of(BatchNorm{.momentum = 1.5}), "/layers/1/momentum", "1.5", "0 to 1"},
      {of(BatchNorm{.momentum = -0.5}), "/layers/1/momentum", "-0.5", "0 to 1"},
      {of(BatchNorm{.momentum = not_a_number}), "/layers/1/momentum", "nan", "0 to 1"},
      {of(Dropout{.rate = 1}), "/layers/1/rate", "1.0", "not including, 1"},
      {of(Dropout{.rate = -0.5}), "/layers/1/rate", "-0.5", "0 up to"},
  };
  for (const Row& row : rows) {
    const InputProblem problem = problem_of([&] { network_with(row.layer); });
    CAPTURE(row.pointer);
    CHECK(problem.file == "net.json");
    CHECK(problem.pointer == row.pointer);
    CHECK(contains(problem.value, row.value));
    CHECK(contains(problem.allowed, row.allowed));
  }
}

TEST_CASE("Network: padding up to the dilated kernel's reach minus 1 is allowed") {
  CHECK_NOTHROW(network_with(convolution({.kernel = 2, .padding_end = 3, .dilation = 3})));
  CHECK_THROWS_AS(network_with(convolution({.kernel = 2, .padding_end = 4, .dilation = 3})),
                  InputError);
}

TEST_CASE("Network: padding that leaves a pooling window without an input is refused") {
  const InputProblem problem = problem_of(
      [] { pool({.kernel = 2, .padding_begin = 1, .padding_end = 1, .dilation = 3}, 2); });
  CHECK(problem.file == "net.json");
  CHECK(problem.pointer == "/layers/1/padding");
  CHECK(problem.value == "1");
  CHECK(contains(problem.allowed, "every window of dilation 3 holds one of the 2 inputs"));
}

TEST_CASE("Network: pooling is refused exactly where a window holds no input") {
  RandomValues random(1);
  std::array<int, 2> seen{};
  for (int i = 0; i < 3000; ++i) {
    WindowDim dim{.kernel = random.integer(1, 4),
                  .stride = random.integer(1, 5),
                  .dilation = random.integer(1, 8)};
    dim.padding_begin = random.integer(0, dim.reach() - 1);
    dim.padding_end = random.integer(0, dim.reach() - 1);
    const std::int64_t length = random.integer(1, 6);
    if (output_length(length, dim) == 0) continue;
    INFO("kernel ",
         dim.kernel,
         " stride ",
         dim.stride,
         " dilation ",
         dim.dilation,
         " padding ",
         dim.padding_begin,
         " and ",
         dim.padding_end,
         " length ",
         length);
    const bool holds = every_window_holds_input(dim, length);
    ++seen[holds ? 1 : 0];
    if (holds) {
      CHECK_NOTHROW(pool(dim, length));
    } else {
      CHECK_THROWS_AS(pool(dim, length), InputError);
    }
  }
  CHECK(seen[0] > 100);
  CHECK(seen[1] > 100);
}

TEST_CASE("Network: input sizes below 1 are refused") {
  const auto problem_with = [](const Input& input) {
    return problem_of([&] {
      Network("test", {{"data", {}, input}, {"loss", {"data"}, SoftmaxCrossEntropy{}}}, "f");
    });
  };
  CHECK(problem_with({.channels = 0}).pointer == "/layers/0/channels");
  CHECK(problem_with({.channels = 1, .size = {1, -3, 1}}).pointer == "/layers/0/size");
  CHECK(problem_with({.channels = 1, .size = {1, -3, 1}}).value == "-3");
}

TEST_CASE("Network: tensors that are added have one shape") {
  const Layer narrow{"narrow", {"data"}, Convolution{.filters = 2}};
  const InputProblem problem = problem_of([&] {
    Network(
        "test",
        {data, narrow, {"sum", {"narrow", "data"}, Add{}}, {"fc", {"sum"}, FullyConnected{}}, loss},
        "net.json");
  });
  CHECK(problem.pointer == "/layers/2/inputs");
  CHECK(problem.value == "1x2x1x8x8 and 1x4x1x8x8");
  CHECK(problem.allowed == "equal shapes");
}

// The layer is torch.nn.ConvTranspose2d(4, 6, (3, 2), (2, 3), padding=(1, 0), output_padding=(1,
// 2), groups=2).
TEST_CASE("Network: a transposed convolution makes what its convolution would be made of") {
  const Window window{{WindowDim{},
                       {.kernel = 3, .stride = 2, .padding_begin = 1, .padding_end = 1},
                       {.kernel = 2, .stride = 3}}};
  const Network network("up",
                        {data,
                         {"up",
                          {"data"},
                          TransposedConvolution{.filters = 6,
                                                .window = window,
                                                .output_padding = {0, 1, 2},
                                                .groups = 2,
                                                .bias = true}},
                         {"loss", {"up"}, SoftmaxCrossEntropy{}}});
  CHECK(network.output_shape(LayerIndex(1), 5) == Shape{{5, 6, 1, 16, 25}});
  CHECK(network.window_of(LayerIndex(1)) == window);
  CHECK(network.parameter_count(LayerIndex(1)) == 4 * 3 * 3 * 2 + 6);
}

TEST_CASE("Network: a transposed convolution of more outputs than can be counted is refused") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(problem_of([] {
          network_with(Layer{"x", {"data"}, transposed({.stride = most / 2})});
        }).pointer == "/layers/1");
  const WindowDim wide{.kernel = most / 4, .stride = most / 8};
  CHECK(problem_of([&] {
          network_with(Layer{"x", {"data"}, transposed(wide)});
        }).pointer == "/layers/1");
}

TEST_CASE("Network: an upsampling repeats every input in every spatial dim") {
  const Network network("up",
                        {{"data", {}, Input{.channels = 3, .size = {2, 5, 7}}},
                         {"up", {"data"}, Upsample{.factor = {3, 2, 1}}},
                         {"loss", {"up"}, SoftmaxCrossEntropy{}}});
  CHECK(network.output_shape(LayerIndex(1), 4) == Shape{{4, 3, 6, 10, 7}});
  CHECK(network.parameter_count() == 0);
}

TEST_CASE("Network: a concat has the channels of its inputs, one input after the other") {
  const Layer narrow{"narrow", {"data"}, Convolution{.filters = 2}};
  const Layer join{"join", {"narrow", "data", "narrow"}, Concat{}};
  const Network network("test", {data, narrow, join, {"fc", {"join"}, FullyConnected{}}, loss});
  CHECK(network.output_shape(LayerIndex(2), 3) == Shape{{3, 8, 1, 8, 8}});
  CHECK(network.first_channel(LayerIndex(2), 0) == 0);
  CHECK(network.first_channel(LayerIndex(2), 1) == 2);
  CHECK(network.first_channel(LayerIndex(2), 2) == 6);
  CHECK(network.first_channel(LayerIndex(1), 0) == 0);
  CHECK(network.parameter_count(LayerIndex(3)) == 8 * 8 * 8 + 1);
}

TEST_CASE("Network: a slice has its channels, a shuffle all of them") {
  const Layer slice{"slice", {"data"}, Slice{.first_channel = 1, .channels = 3}};
  const Layer shuffle{"shuffle", {"slice"}, ChannelShuffle{.groups = 3}};
  const Network network("test",
                        {data, slice, shuffle, {"fc", {"shuffle"}, FullyConnected{}}, loss});
  CHECK(network.output_shape(LayerIndex(1), 3) == Shape{{3, 3, 1, 8, 8}});
  CHECK(network.output_shape(LayerIndex(2), 3) == network.output_shape(LayerIndex(1), 3));
  CHECK(network.first_channel(LayerIndex(1), 0) == -1);
  CHECK(network.parameter_count(LayerIndex(1)) + network.parameter_count(LayerIndex(2)) == 0);
}

TEST_CASE("Network: inputs of a concat differ in channels only") {
  const Layer smaller{"smaller", {"data"}, convolution({.kernel = 2})};
  const InputProblem problem = problem_of([&] {
    Network("test",
            {data,
             smaller,
             {"join", {"data", "data", "smaller"}, Concat{}},
             {"fc", {"join"}, FullyConnected{}},
             loss},
            "net.json");
  });
  CHECK(problem.pointer == "/layers/2/inputs");
  CHECK(problem.value == "1x4x1x8x8 and 1x4x1x7x8");
  CHECK(problem.allowed == "shapes that are equal but for the channels");
}

TEST_CASE("Network: one input, one loss at the end, nothing unused") {
  const auto problem_with = [](std::vector<Layer> layers) {
    return problem_of([&] { Network("test", std::move(layers), "net.json"); });
  };
  const Layer first_loss{"first", {"data"}, SoftmaxCrossEntropy{}};
  CHECK(problem_with({}).pointer == "/layers");
  CHECK(problem_with({}).value == "0 inputs and 0 losses in 0 layers");
  CHECK(problem_with({data}).pointer == "/layers/0/name");
  CHECK(problem_with({data}).allowed == "a layer whose output another layer uses");
  const Layer named_as_main{"loss", {"data"}, SoftmaxCrossEntropy{}};
  CHECK(problem_with({data, named_as_main, first_loss}).allowed ==
        "another name: the last loss is called so");
  CHECK(problem_with({data, first_loss, {"relu", {"first"}, Relu{}}}).allowed ==
        "a layer that is no loss");
  CHECK(problem_with({data, {"unused", {"data"}, Relu{}}, first_loss}).pointer == "/layers/1/name");
  const Layer second{"second", {}, Input{.channels = 4, .size = {1, 8, 8}}};
  CHECK(problem_with({data,
                      second,
                      {"sum", {"data", "second"}, Add{}},
                      {"loss", {"sum"}, SoftmaxCrossEntropy{}}})
            .value == "2 inputs and 1 losses in 4 layers");
  CHECK(problem_with({first_loss}).allowed == "the name of a layer listed before");
}

TEST_CASE("Network: sizes that overflow are refused at their layer") {
  const auto pointer_of = [](const LayerParameters& parameters) {
    return problem_of([&] { network_with(parameters); }).pointer;
  };
  CHECK(pointer_of(Convolution{.filters = huge}) == "/layers/1");
  CHECK(pointer_of(FullyConnected{.outputs = huge / 2}) == "/layers/1");
  CHECK(pointer_of(convolution({.kernel = huge, .dilation = 2})) == "/layers/1");
  CHECK(pointer_of(convolution(
            {.kernel = huge / 2, .padding_begin = huge / 2 - 1, .padding_end = huge / 2 - 1})) ==
        "/layers/1");
  const auto wide_batch_norm = [] {
    Network("test",
            {{"data", {}, Input{.channels = huge / 2 + 1}},
             {"bn", {"data"}, BatchNorm{}},
             {"loss", {"bn"}, SoftmaxCrossEntropy{}}},
            "net.json");
  };
  CHECK(problem_of(wide_batch_norm).pointer == "/layers/1");
  CHECK(problem_of(wide_batch_norm).file == "net.json");
}

TEST_CASE("Network: parameters whose bytes overflow are refused at the layer that is too much") {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto network = [](std::int64_t outputs) {
    return Network("test",
                   {{"data", {}, Input{.channels = most}},
                    {"narrow", {"data"}, FullyConnected{.outputs = 1 << 21}},
                    {"wide", {"narrow"}, FullyConnected{.outputs = outputs}},
                    {"loss", {"wide"}, SoftmaxCrossEntropy{}}},
                   "net.json");
  };
  // The layer narrow has 2^52 parameters, and wide has 2^21 + 1 for each output.
  CHECK_NOTHROW(network((std::int64_t{1} << 31) - 2048));
  const InputProblem problem = problem_of([&] { network(std::int64_t{1} << 32); });
  CHECK(problem.file == "net.json");
  CHECK(problem.pointer == "/layers/2");
  CHECK(problem.value == "9007203549708288");
  CHECK(contains(problem.allowed, "parameters"));
  const InputProblem large = problem_of([&] {
    Network("test",
            {{"data", {}, Input{.channels = most}},
             {"fc", {"data"}, FullyConnected{.outputs = most}},
             {"loss", {"fc"}, SoftmaxCrossEntropy{}}},
            "net.json");
  });
  CHECK(large.pointer == "/layers/1");
}

TEST_CASE("Network: a loss as the input is refused where the file says it, or at the layer") {
  const auto problem_with = [](const Layer& last) {
    return problem_of([&] {
      Network("test",
              {data,
               {"fc", {"data"}, FullyConnected{}},
               loss,
               {"side", {"fc"}, Relu{}},
               last,
               {"end", {last.name}, SoftmaxCrossEntropy{}}},
              "net.json");
    });
  };
  CHECK(problem_with({"x", {"loss"}, Relu{}}).pointer == "/layers/4/input");
  CHECK(problem_with({"x", {"loss", "side"}, Add{}}).pointer == "/layers/4/inputs");
  // This layer has the input that a file may leave out.
  const InputProblem problem = problem_of([] {
    Network("test",
            {data, {"fc", {"data"}, FullyConnected{}}, loss, {"x", {"loss"}, Relu{}}},
            "net.json");
  });
  CHECK(problem.pointer == "/layers/3");
  CHECK(problem.value == "the input \"loss\"");
}

TEST_CASE("Network: auxiliary losses have the main one's kind and shape, and weights") {
  const auto with = [](const Layer& auxiliary, const LayerParameters& last) {
    return Network("test",
                   {data,
                    {"relu", {"data"}, Relu{}},
                    {"head", {"relu"}, FullyConnected{.outputs = 3}},
                    {"wide", {"relu"}, FullyConnected{.outputs = 4}},
                    auxiliary,
                    {"sum", {"head", "wide"}, Concat{}},
                    {"fc", {"sum"}, FullyConnected{.outputs = 3}},
                    {"loss", {"fc"}, last}},
                   "net.json");
  };
  const Network network =
      with({"aux", {"head"}, SoftmaxCrossEntropy{.weight = 0.3}}, SoftmaxCrossEntropy{});
  CHECK(network.loss_layer() == 7);
  CHECK(network.layers_of_main_loss() ==
        IndexedVector<LayerIndex, bool>{true, true, true, true, false, true, true, true});
  struct Row {
    Layer auxiliary;
    LayerParameters last;
    const char* pointer;
    const char* value;
    const char* allowed;
  };
  const SoftmaxCrossEntropy entropy;
  for (const Row& row : std::vector<Row>{
           {{"aux", {"head"}, MeanSquaredError{}},
            entropy,
            "/layers/4/kind",
            "\"mean_squared_error\"",
            "softmax_cross_entropy, as the last loss"},
           {{"aux", {"wide"}, entropy}, entropy, "/layers/4", "1x4x1x1x1", "same labels"},
           {{"aux", {"head"}, SoftmaxCrossEntropy{.weight = 0.0}},
            entropy,
            "/layers/4/weight",
            "0.000000",
            "above 0"},
           {{"aux", {"head"}, SoftmaxCrossEntropy{.weight = not_a_number}},
            entropy,
            "/layers/4/weight",
            "nan",
            "above 0"},
           {{"aux", {"head"}, entropy},
            SoftmaxCrossEntropy{.weight = 0.5},
            "/layers/7/weight",
            "0.500000",
            "1 for the last loss"}}) {
    CAPTURE(row.allowed);
    const InputProblem problem = problem_of([&] { with(row.auxiliary, row.last); });
    CHECK(problem.pointer == row.pointer);
    CHECK(problem.value.find(row.value) != std::string::npos);
    CHECK(problem.allowed.find(row.allowed) != std::string::npos);
  }
}

TEST_CASE("Network: links between layers run both ways") {
  const Network network("test",
                        {data,
                         {"a", {"data"}, Relu{}},
                         {"b", {"data"}, Relu{}},
                         {"sum", {"b", "a"}, Add{}},
                         {"twice", {"sum", "sum"}, Add{}},
                         {"fc", {"twice"}, FullyConnected{}},
                         loss});
  CHECK(network.index_of("sum") == LayerIndex(3));
  CHECK(network.index_of("nothing") == std::nullopt);
  CHECK(network.loss_layer() == 6);
  CHECK(network.inputs_of(LayerIndex(3)) == std::vector{LayerIndex(2), LayerIndex(1)});
  CHECK(network.consumers_of(LayerIndex(0)) == std::vector{LayerIndex(1), LayerIndex(2)});
  CHECK(network.consumers_of(LayerIndex(3)) == std::vector{LayerIndex(4), LayerIndex(4)});
  CHECK(network.consumers_of(LayerIndex(6)).empty());
}

TEST_CASE("Network: a fully connected layer is a convolution over the whole image") {
  const Network network = network_with(FullyConnected{.outputs = 5, .bias = true});
  const Window window = network.window_of(LayerIndex(1));
  CHECK(window.dims[0].kernel == 1);
  CHECK(window.dims[1].kernel == 8);
  CHECK(window.dims[2].kernel == 8);
  CHECK(network.output_shape(LayerIndex(1), 7) == Shape{{7, 5, 1, 1, 1}});
  CHECK(network.parameter_count(LayerIndex(1)) == 4 * 8 * 8 * 5 + 5);
}

TEST_CASE("Network: parameters of each kind") {
  CHECK(network_with(Relu{}).parameter_count(LayerIndex(1)) == 0);
  CHECK(network_with(BatchNorm{}).parameter_count(LayerIndex(1)) == 8);
  CHECK(network_with(GlobalPooling{}).parameter_count(LayerIndex(1)) == 0);
  Convolution grouped = convolution({.kernel = 3});
  grouped.groups = 2;
  CHECK(network_with(grouped).parameter_count(LayerIndex(1)) == 4 * 2 * 3);
  grouped.bias = true;
  CHECK(network_with(grouped).parameter_count(LayerIndex(1)) == 4 * 2 * 3 + 4);
}

TEST_CASE("Network: an output that overflows with the batch is refused") {
  const Network network = network_with(Relu{});
  CHECK_NOTHROW(network.output_shape(LayerIndex(1), 1 << 30));
  CHECK_THROWS_AS(network.output_shape(LayerIndex(1), huge / 4), InputError);
}

TEST_CASE("Network: another input size changes all shapes, or is refused where it does not fit") {
  const Network network = network_with(convolution({.kernel = 3, .stride = 2}));
  CHECK(with_input_size(network, {1, 9, 8}).output_shape(LayerIndex(1), 1) ==
        Shape{{1, 4, 1, 4, 8}});
  const InputProblem problem = problem_of([&] { with_input_size(network, {1, 2, 8}); });
  CHECK(problem.pointer == "/layers/1/kernel");
  CHECK(contains(problem.file, "test at this input size"));
}

TEST_CASE("Network: another height and width keep the depth") {
  const Network network("deep",
                        {{"data", {}, Input{.channels = 1, .size = {16, 8, 8}}},
                         {"loss", {"data"}, SoftmaxCrossEntropy{}}});
  CHECK(with_input_size(network, parse_size("4x6")).output_shape(LayerIndex(1), 1) ==
        Shape{{1, 1, 16, 4, 6}});
  CHECK(with_input_size(network, parse_size("1x4x6")).output_shape(LayerIndex(1), 1) ==
        Shape{{1, 1, 1, 4, 6}});
}

}  // namespace cnnplan::test
