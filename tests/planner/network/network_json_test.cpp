// Tests network files: formats, defaults, refusals, round trips.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/network/enumerators.hpp"
#include "planner/network/network.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/json/broken_document.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

std::string document(const std::string& layers) {
  return R"({"schema": "cnnplan.network/1", "name": "n", "layers": [)" + layers + "]}";
}

Network parse(const std::string& layers) {
  return parse_network(document(layers), "n.json");
}

const Window& window_of(const Network& network, LayerIndex index) {
  return std::get<Convolution>(network.layer(index).parameters).window;
}

constexpr const char* data_2d =
    R"({"name": "data", "kind": "input", "channels": 4, "size": [9, 8]},)";
constexpr const char* data_3d =
    R"({"name": "data", "kind": "input", "channels": 4, "size": [7, 9, 8]},)";
constexpr const char* loss = R"(,{"name": "loss", "kind": "softmax_cross_entropy"})";

TEST_CASE("parse_network: what is left out has the defaults of the structs") {
  const Network network = parse(std::string(data_2d) + R"(
    {"name": "a", "kind": "convolution", "filters": 2, "kernel": 3},
    {"name": "b", "kind": "batch_norm"},
    {"name": "c", "kind": "pooling", "kernel": [3, 2]},
    {"name": "d", "kind": "dropout"},
    {"name": "e", "kind": "fully_connected", "outputs": 5},
    {"name": "up", "kind": "upsample"},
    {"name": "raise", "kind": "transposed_convolution", "filters": 5, "kernel": 3},
    {"name": "clip", "kind": "relu"},
    {"name": "f", "kind": "global_pooling"})" +
                                loss);
  CHECK(network.layer(LayerIndex(0)).parameters ==
        LayerParameters(Input{.channels = 4, .size = {1, 9, 8}}));
  const WindowDim three{.kernel = 3};
  CHECK(network.layer(LayerIndex(1)).parameters ==
        LayerParameters(Convolution{.filters = 2, .window = {{WindowDim{}, three, three}}}));
  CHECK(network.layer(LayerIndex(2)).parameters == LayerParameters(BatchNorm{}));
  const Window pooling{{WindowDim{}, {.kernel = 3, .stride = 3}, {.kernel = 2, .stride = 2}}};
  CHECK(network.layer(LayerIndex(3)).parameters == LayerParameters(Pooling{.window = pooling}));
  CHECK(network.layer(LayerIndex(4)).parameters == LayerParameters(Dropout{}));
  CHECK(network.layer(LayerIndex(5)).parameters == LayerParameters(FullyConnected{.outputs = 5}));
  CHECK(network.layer(LayerIndex(6)).parameters == LayerParameters(Upsample{.factor = {1, 2, 2}}));
  CHECK(network.layer(LayerIndex(7)).parameters ==
        LayerParameters(
            TransposedConvolution{.filters = 5, .window = {{WindowDim{}, three, three}}}));
  CHECK(network.layer(LayerIndex(8)).parameters == LayerParameters(Relu{}));
  CHECK(network.layer(LayerIndex(9)).parameters == LayerParameters(GlobalPooling{}));
}

TEST_CASE("parse_network: spatial lists follow the size of the input") {
  const std::string convolution =
      R"({"name": "a", "kind": "convolution", "filters": 2, "kernel": 3, "padding": 1})";
  const Window flat = window_of(parse(data_2d + convolution + loss), LayerIndex(1));
  CHECK(flat.dims[0] == WindowDim{});
  CHECK(flat.dims[1] == WindowDim{.kernel = 3, .padding_begin = 1, .padding_end = 1});
  const Window deep = window_of(parse(data_3d + convolution + loss), LayerIndex(1));
  CHECK(deep.dims[0] == deep.dims[2]);
  const Window mixed =
      window_of(parse(std::string(data_3d) + R"({"name": "a", "kind": "convolution", "filters": 2,
      "kernel": [1, 2, 3], "padding": [0, 1, 2], "padding_end": 0, "dilation": [1, 1, 2]})" +
                      loss),
                LayerIndex(1));
  CHECK(mixed.dims[2] ==
        WindowDim{.kernel = 3, .padding_begin = 2, .padding_end = 0, .dilation = 2});
}

TEST_CASE("parse_network: the output padding of a transposed convolution") {
  const auto transposed = [](const char* data, const std::string& keys) {
    const Network network = parse(data +
                                  (R"({"name": "up", "kind": "transposed_convolution", "filters": 2,
        "kernel": 3, "stride": 2)" +
                                   keys + "}") +
                                  loss);
    return std::get<TransposedConvolution>(network.layer(LayerIndex(1)).parameters);
  };
  using Padding = std::array<std::int64_t, 3>;
  CHECK(transposed(data_2d, "").output_padding == Padding{0, 0, 0});
  CHECK(transposed(data_2d, R"(, "output_padding": 1)").output_padding == Padding{0, 1, 1});
  CHECK(transposed(data_3d, R"(, "output_padding": [1, 0, 1])").output_padding == Padding{1, 0, 1});
  const TransposedConvolution all = transposed(
      data_2d,
      R"(, "padding": 1, "padding_end": [0, 2], "dilation": 2, "groups": 2, "bias": true)");
  CHECK(all.window.dims[2] ==
        WindowDim{.kernel = 3, .stride = 2, .padding_begin = 1, .padding_end = 2, .dilation = 2});
  CHECK(all.groups == 2);
  CHECK(all.bias);
}

TEST_CASE("parse_network: the factor of an upsampling") {
  using Factor = std::array<std::int64_t, 3>;
  const auto factor = [](const char* data, const std::string& key) {
    const Network network =
        parse(data + (R"({"name": "up", "kind": "upsample")" + key + "}") + loss);
    return std::get<Upsample>(network.layer(LayerIndex(1)).parameters).factor;
  };
  CHECK(factor(data_2d, "") == Factor{1, 2, 2});
  CHECK(factor(data_3d, "") == Factor{2, 2, 2});
  CHECK(factor(data_2d, R"(, "factor": 3)") == Factor{1, 3, 3});
  CHECK(factor(data_3d, R"(, "factor": 3)") == Factor{3, 3, 3});
  CHECK(factor(data_3d, R"(, "factor": [1, 2, 3])") == Factor{1, 2, 3});
}

TEST_CASE("parse_network: a layer without an input takes the layer before") {
  const Network network = parse(std::string(data_2d) + R"(
    {"name": "a", "kind": "relu"},
    {"name": "b", "kind": "relu", "input": "prev"},
    {"name": "c", "kind": "relu", "input": "a"},
    {"name": "d", "kind": "add", "inputs": ["b", "prev"]},
    {"name": "e", "kind": "concat", "inputs": ["d", "prev", "a"]})" +
                                loss);
  CHECK(network.layer(LayerIndex(1)).inputs == std::vector<std::string>{"data"});
  CHECK(network.layer(LayerIndex(2)).inputs == std::vector<std::string>{"a"});
  CHECK(network.layer(LayerIndex(3)).inputs == std::vector<std::string>{"a"});
  CHECK(network.layer(LayerIndex(4)).inputs == std::vector<std::string>{"b", "c"});
  CHECK(network.layer(LayerIndex(5)).inputs == std::vector<std::string>{"d", "d", "a"});
}

TEST_CASE("parse_network: refusals name pointer, value and what is allowed") {
  const std::string valid = document(std::string(data_2d) + R"(
    {"name": "conv", "kind": "convolution", "filters": 6, "kernel": [3, 3], "stride": 1},
    {"name": "bn", "kind": "batch_norm", "momentum": 0.1},
    {"name": "pool", "kind": "pooling", "mode": "max", "kernel": 2},
    {"name": "drop", "kind": "dropout", "rate": 0.5},
    {"name": "side", "kind": "relu", "input": "drop"},
    {"name": "sum", "kind": "add", "inputs": ["drop", "side"]},
    {"name": "join", "kind": "concat", "inputs": ["sum", "pool", "sum"]},
    {"name": "up", "kind": "upsample", "factor": 5},
    {"name": "t", "kind": "transposed_convolution", "filters": 2, "kernel": 2, "output_padding": 0})" +
                                     loss);
  const std::string extent = "an integer from 1 to 2147483647";
  check_refusals(
      valid,
      parse_network,
      {
          {"\"schema\": \"cnnplan.network/1\", ", "", "/schema", "nothing", "cnnplan.network/1"},
          {"cnnplan.network/1", "cnnplan.plan/1", "/schema", "cnnplan.plan/1", "cnnplan.network/1"},
          {"\"name\": \"n\"", "\"name\": 3", "/name", "3", "a string, not empty"},
          {"\"name\": \"n\", ", "", "/name", "nothing", "a string, not empty"},
          {"\"name\": \"n\"", "\"nam\": \"n\"", "/nam", "unknown key", "schema, generator, name"},
          {"\"filters\": 6", "\"filter\": 6", "/layers/1/filter", "unknown key", "filters, kernel"},
          {"\"filters\": 6, ", "", "/layers/1/filters", "nothing", extent},
          {"\"output_padding\": 0",
           "\"output_padding\": 1",
           "/layers/9/output_padding",
           "1",
           "0 to the stride minus 1 = 0"},
          {"\"output_padding\": 0",
           "\"output_padding\": -1",
           "/layers/9/output_padding",
           "-1",
           "an integer from 0"},
          {"\"filters\": 6", "\"filters\": 0", "/layers/1/filters", "0", extent},
          {"\"filters\": 6", "\"filters\": 3e9", "/layers/1/filters", "3000000000.0", extent},
          {"\"filters\": 6", "\"filters\": \"6\"", "/layers/1/filters", "\"6\"", extent},
          {"\"filters\": 6", "\"filters\": 6.5", "/layers/1/filters", "6.5", extent},
          {"\"filters\": 6",
           "\"filters\": 1, \"filters\": 6",
           "/layers/1/filters",
           "second",
           "once"},
          {"[3, 3]", "[3, 3, 3]", "/layers/1/kernel", "a list of 3", "a list of 2"},
          {"[3, 3]", "[3, \"3\"]", "/layers/1/kernel/1", "\"3\"", extent},
          {"[3, 3]", "[3, 40]", "/layers/1/kernel", "40", "fits"},
          {"\"stride\": 1", "\"stride\": 0", "/layers/1/stride", "0", extent},
          {"\"stride\": 1", "\"groups\": 4", "/layers/1/groups", "4", "divisor"},
          {"\"stride\": 1", "\"padding\": 3", "/layers/1/padding", "3", "0 to"},
          {"\"stride\": 1", "\"bias\": 1", "/layers/1/bias", "1", "true or false"},
          {"0.1", "1.5", "/layers/2/momentum", "1.5", "a number from 0.0 to 1.0"},
          {"\"relu\"", "\"relu\", \"max\": 0", "/layers/5/max", "0", "a number above 0.0"},
          {"\"relu\"", "\"relu\", \"min\": 0", "/layers/5/min", "unknown key", "max"},
          {"\"factor\": 5", "\"factor\": 0", "/layers/8/factor", "0", extent},
          {"\"factor\": 5", "\"factors\": 5", "/layers/8/factors", "unknown key", "factor"},
          {"\"max\"", "\"min\"", "/layers/3/mode", "\"min\"", "\"max\", \"average\""},
          {"\"rate\": 0.5", "\"rate\": 1", "/layers/4/rate", "1", "a number from 0.0 to below 1.0"},
          {"\"kind\": \"relu\"", "\"kind\": \"rely\"", "/layers/5/kind", "\"rely\"", "\"relu\""},
          {"\"kind\": \"relu\"", "\"kind\": \"add\"", "/layers/5/input", "unknown key", "inputs"},
          {"\"drop\", \"side\"", "\"drop\"", "/layers/6/inputs", "a list of 1", "a list of 2"},
          {"\"drop\", \"side\"", "\"bn\", \"side\"", "/layers/6/inputs", "", "equal shapes"},
          {"\"drop\", \"side\"", "\"drop\", \"sude\"", "/layers/6/inputs/1", "\"sude\"", "before"},
          {"\"input\": \"drop\"", "\"input\": \"dorp\"", "/layers/5/input", "\"dorp\"", "before"},
          {"\"input\": \"drop\"", "\"input\": \"sum\"", "/layers/5/input", "\"sum\"", "before"},
          {"\"name\": \"side\"", "\"name\": \"prev\"", "/layers/5/name", "\"prev\"", "other than"},
          {"\"sum\", \"pool\", \"sum\"",
           "\"sum\"",
           "/layers/7/inputs",
           "a list of 1",
           "a list of at least 2"},
          {"\"sum\", \"pool\"", "\"sum\", \"bn\"", "/layers/7/inputs", "", "but for the channels"},
          {"\"sum\", \"pool\"", "\"sum\", 3", "/layers/7/inputs/1", "3", "a string"},
          {"\"name\": \"loss\"", "\"name\": \"sgd\"", "/layers/10/name", "\"sgd\"", "other than"},
          {"\"name\": \"side\"", "\"name\": \"bn\"", "/layers/5/name", "\"bn\"", "no other layer"},
          {"[9, 8]", "[9]", "/layers/0/size", "a list of 1", "a list of 2 to 3"},
          {"\"size\": [9, 8]", "\"size\": \"9x8\"", "/layers/0/size", "\"9x8\"", extent},
          {"\"channels\": 4, ", "", "/layers/0/channels", "nothing", extent},
      });
}

TEST_CASE("parse_network: overflowing sizes are refused") {
  const std::string valid = document(
      R"({"name": "data", "kind": "input", "channels": 1, "size": [1000000, 1000000]},
      {"name": "a", "kind": "convolution", "filters": 1, "kernel": 1},
      {"name": "b", "kind": "convolution", "filters": 2, "kernel": 1})" +
      std::string(loss));
  check_refusals(valid,
                 parse_network,
                 {{"\"filters\": 1", "\"filters\": 2147483647", "/layers/1", "*", "2^63"},
                  {"\"channels\": 1", "\"channels\": 2147483647", "/layers/0", "*", "2^63"}});
  const std::string small = document(
      R"({"name": "data", "kind": "input", "channels": 1, "size": [1, 1]},
      {"name": "a", "kind": "convolution", "filters": 2147483647, "kernel": 1},
      {"name": "b", "kind": "convolution", "filters": 2, "kernel": 1})" +
      std::string(loss));
  check_refusals(small,
                 parse_network,
                 {{"\"filters\": 2, \"kernel\": 1",
                   "\"filters\": 2147483647, \"kernel\": 3, \"padding\": 1",
                   "/layers/2",
                   "*",
                   "2^63"}});
}

TEST_CASE("parse_network: the layers must be a list with something in it") {
  CHECK(problem_of([] { parse(""); }).pointer == "/layers");
  CHECK(problem_of([] { parse(R"({"name": "a", "kind": "relu"})"); }).pointer == "/layers/0/kind");
  CHECK(problem_of([] { parse("3"); }).pointer == "/layers/0");
  CHECK_THROWS_AS(parse_network("[]", "n.json"), InputError);
}

TEST_CASE("to_json: networks come back equal") {
  for (const Network& network : {sample_network(), sample_network_3d()}) {
    const std::string text = to_json(network);
    CHECK(parse_network(text, "n.json") == network);
    CHECK(to_json(parse_network(text, "n.json")) == text);
  }
}

Window random_window(RandomValues& random, bool has_depth) {
  Window window;
  for (std::size_t i = has_depth ? 0 : 1; i < window.dims.size(); ++i) {
    const std::int64_t kernel = random.integer(1, 4);
    const std::int64_t dilation = random.integer(1, 2);
    const std::int64_t reach = dilation * (kernel - 1) + 1;
    window.dims[i] = {.kernel = kernel,
                      .stride = random.integer(1, 3),
                      .padding_begin = random.integer(0, reach - 1),
                      .padding_end = random.integer(0, reach - 1),
                      .dilation = dilation};
  }
  return window;
}

Upsample random_upsample(RandomValues& random, bool has_depth) {
  Upsample upsample{.factor = {has_depth ? random.integer(1, 3) : 1, random.integer(1, 3), 2},
                    .mode = random.enumerator<UpsampleMode>()};
  upsample.align_corners = upsample.mode == UpsampleMode::linear && random.boolean();
  return upsample;
}

LayerParameters random_loss(RandomValues& random) {
  if (random.boolean()) return MeanSquaredError{};
  return SoftmaxCrossEntropy{};
}

LayerParameters random_parameters(RandomValues& random, bool has_depth) {
  switch (random.small(0, 6)) {
    case 0:
      return Convolution{.filters = 2 * random.integer(1, 9),
                         .window = random_window(random, has_depth),
                         .groups = random.integer(1, 2),
                         .bias = random.boolean()};
    case 1:
      return Pooling{.mode = random.enumerator<PoolingMode>(),
                     .window = random_window(random, has_depth),
                     .count_include_padding = random.boolean()};
    case 2:
      return BatchNorm{.epsilon = 1e-12 + random.fraction() / 2, .momentum = random.fraction()};
    case 3:
      return Dropout{.rate = random.fraction()};
    case 5: {
      TransposedConvolution transposed{.filters = 2 * random.integer(1, 9),
                                       .window = random_window(random, has_depth),
                                       .groups = random.integer(1, 2),
                                       .bias = random.boolean()};
      for (std::size_t i = has_depth ? 0 : 1; i < 3; ++i) {
        const std::int64_t stride = transposed.window.dims[i].stride;
        transposed.output_padding[i] = random.integer(0, stride - 1);
      }
      return transposed;
    }
    case 4:
      return random_upsample(random, has_depth);
    default:
      return random.boolean() ? Relu{} : Relu{.max = 0.5 + random.fraction()};
  }
}

TEST_CASE("parse_network: local response norms, and back") {
  const Window window{{WindowDim{.kernel = 2}, WindowDim{.kernel = 3}, WindowDim{.kernel = 2}}};
  const Network network(
      "responses",
      {{"volume", {}, Input{.channels = 6, .size = {3, 4, 4}}},
       {"plain", {"volume"}, LocalResponseNorm{.size = 3}},
       {"pool", {"plain"}, Pooling{.window = window}},
       {"full", {"pool"}, LocalResponseNorm{.size = 4, .alpha = 0.5, .beta = 0.25, .k = 2}},
       {"loss", {"full"}, SoftmaxCrossEntropy{}}});
  CHECK(parse_network(to_json(network), "net.json") == network);
}

TEST_CASE("parse_network: slice and channel shuffle, and back") {
  const Network network("channels",
                        {{"data", {}, Input{.channels = 6, .size = {1, 4, 4}}},
                         {"tail", {"data"}, Slice{.first_channel = 2, .channels = 4}},
                         {"head", {"tail"}, Slice{.channels = 4}},
                         {"shuffle", {"head"}, ChannelShuffle{.groups = 2}},
                         {"loss", {"shuffle"}, SoftmaxCrossEntropy{}}});
  CHECK(parse_network(to_json(network), "net.json") == network);
}

TEST_CASE("to_json: depth that begins after the input comes back") {
  const Window taller{{WindowDim{.stride = 2}, WindowDim{}, WindowDim{}}};
  const Window deeper{
      {WindowDim{.kernel = 2, .padding_begin = 1, .padding_end = 1}, WindowDim{}, WindowDim{}}};
  const std::vector<LayerParameters> kinds{
      Upsample{.factor = {3, 3, 2}},
      Upsample{.factor = {2, 2, 2}},
      Upsample{.factor = {2, 1, 1}},
      Convolution{.filters = 2, .window = deeper},
      TransposedConvolution{.filters = 2, .window = taller, .output_padding = {1, 0, 0}}};
  for (const LayerParameters& kind : kinds) {
    const Network network("deep",
                          {{"data", {}, Input{.channels = 2, .size = {1, 7, 5}}},
                           {"deep", {"data"}, kind},
                           {"loss", {"deep"}, SoftmaxCrossEntropy{}}});
    CHECK(parse_network(to_json(network), "n.json") == network);
  }
}

TEST_CASE("to_json: random networks come back equal") {
  RandomValues random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const bool has_depth = random.boolean();
    const std::int64_t depth = has_depth ? random.integer(300, 400) : 1;
    std::vector<Layer> layers{{"data", {}, Input{.channels = 2, .size = {depth, 999, 777}}}};
    for (int i = 0; i < 4; ++i) {
      const std::string name = "layer " + std::to_string(i) + "\"~\\";
      layers.push_back({name, {layers.back().name}, random_parameters(random, has_depth)});
    }
    const std::string last = layers.back().name;
    layers.push_back({"relu", {last}, Relu{}});
    layers.push_back({"sum", {last, "relu"}, Add{.scale = random.boolean() ? 1.0 : -0.3}});
    layers.push_back({"loss", {"sum"}, random_loss(random)});
    const Network network(random.text(), layers);
    CHECK(parse_network(to_json(network), "n.json") == network);
  }
}

}  // namespace
}  // namespace cnnplan::test
