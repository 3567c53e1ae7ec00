// Tests repeats in network files: the layers that they stand for, and their refusals.
#include "planner/network/layer_list_json.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/json/broken_document.hpp"

namespace cnnplan::test {
namespace {

std::string document(const std::string& layers) {
  return R"({"schema": "cnnplan.network/1", "name": "n", "layers": [
    {"name": "data", "kind": "input", "channels": 4, "size": [9, 8]},)" +
         layers + R"({"name": "loss", "kind": "softmax_cross_entropy"}]})";
}

// Returns a residual chain after a layer that keeps the width.
std::string chain(const std::string& count) {
  return document(R"({"name": "first", "kind": "relu"},
    {"repeat": )" +
                  count +
                  R"(, "name": "res", "layers": [
      {"name": "conv", "kind": "convolution", "filters": 4, "kernel": 3, "padding": 1},
      {"name": "relu", "kind": "relu"},
      {"name": "add", "kind": "add", "inputs": ["repeat_input", "prev"], "scale": 0.5}]},)");
}

Network parse(const std::string& json) {
  return parse_network(json, "n.json");
}

const std::vector<std::string>& inputs_of(const Network& network, const std::string& layer) {
  const std::optional<LayerIndex> index = network.index_of(layer);
  REQUIRE_MESSAGE(index, layer);
  return network.layer(*index).inputs;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("read_layers: a repeat stands for its layers, one repetition after the other") {
  const Network network = parse(chain("2"));
  REQUIRE(network.layer_count() == 9);
  CHECK(inputs_of(network, "res_1_conv") == Names{"first"});
  CHECK(inputs_of(network, "res_1_relu") == Names{"res_1_conv"});
  CHECK(inputs_of(network, "res_1_add") == Names{"first", "res_1_relu"});
  CHECK(inputs_of(network, "res_2_conv") == Names{"res_1_add"});
  CHECK(inputs_of(network, "res_2_add") == Names{"res_1_add", "res_2_relu"});
  CHECK(inputs_of(network, "loss") == Names{"res_2_add"});
  const LayerIndex last = network.index_of("res_2_add").value();
  CHECK(network.layer(last).parameters == LayerParameters(Add{.scale = 0.5}));
}

TEST_CASE("read_layers: a repeat is written as its layers") {
  const Network network = parse(chain("3"));
  const std::string text = to_json(network);
  CHECK_FALSE(contains(text, "repeat"));
  CHECK(parse(text) == network);
}

TEST_CASE("read_layers: a name means the same repetition first, then a layer outside") {
  const Network network = parse(document(R"({"name": "a", "kind": "relu"},
    {"name": "b", "kind": "relu"},
    {"repeat": 2, "name": "x", "layers": [
      {"name": "a", "kind": "relu"},
      {"name": "sum", "kind": "add", "inputs": ["a", "b"]}]},)"));
  CHECK(inputs_of(network, "x_1_sum") == Names{"x_1_a", "b"});
  CHECK(inputs_of(network, "x_2_sum") == Names{"x_2_a", "b"});
}

TEST_CASE("read_layers: refusals in a repeat name pointer, value and what is allowed") {
  const std::string count = "an integer from 1 to 65536";
  check_refusals(
      chain("7"),
      parse_network,
      {
          {": 7", ": 0", "/layers/2/repeat", "0", count},
          {": 7", ": -1", "/layers/2/repeat", "-1", count},
          {": 7", ": \"7\"", "/layers/2/repeat", "\"7\"", count},
          {": 7", ": 65536", "/layers/2/repeat", "196610 layers", "at most 65536 layers"},
          {": 7", ": 9000000000000000000", "/layers/2/repeat", "9000000000000000000", count},
          {"\"name\": \"res\", ", "", "/layers/2/name", "nothing", "a string, not empty"},
          {"\"res\"", "\"a/b\"", "/layers/2/name", "\"a/b\"", "without \"/\""},
          {"\"res\"", "\"res\", \"kind\": \"relu\"", "/layers/2/kind", "unknown key", "layers"},
          {"\"scale\"", "\"scales\"", "/layers/2/layers/2/scales", "unknown key", "scale"},
          {"0.5", "0", "/layers/2/layers/2/scale", "0", "not 0"},
          {"0.5", "1e31", "/layers/2/layers/2/scale", "1e+31", "a number from"},
          {"\"repeat_input\"", "\"none\"", "/layers/2/layers/2/inputs/0", "\"none\"", "before"},
          {"\"repeat_input\"", "\"add\"", "/layers/2/layers/2/inputs/0", "\"add\"", "before"},
          {"\"name\": \"relu\"", "\"name\": \"prev\"", "/layers/2/layers/1/name", "prev", "other"},
          {"\"name\": \"relu\"",
           "\"name\": \"conv\"",
           "/layers/2/layers/1/name",
           "_conv",
           "no other"},
          {"\"first\"", "\"res_5_relu\"", "/layers/2/layers/1/name", "res_5_relu", "no other"},
          {"\"first\"", "\"repeat_input\"", "/layers/1/name", "repeat_input", "other than"},
          {"\"softmax_cross_entropy\"",
           "\"softmax_cross_entropy\", \"input\": \"repeat_input\"",
           "/layers/3/input",
           "\"repeat_input\"",
           "listed before"},
          {"{\"name\": \"relu\", \"kind\": \"relu\"}",
           "{\"repeat\": 2, \"name\": \"y\", \"layers\": []}",
           "/layers/2/layers/1/repeat",
           "2",
           "repeats hold no repeats"},
      });
}

TEST_CASE("read_layers: a problem in a repetition points to the layer in the file") {
  check_refusals(chain("3"),
                 parse_network,
                 {{"\"padding\": 1",
                   "\"padding\": 0",
                   "/layers/2/layers/2/inputs",
                   "and",
                   "equal shapes, for \"res_1_add\""},
                  {"\"filters\": 4, \"kernel\": 3, \"padding\": 1",
                   "\"filters\": 8, \"kernel\": 3, \"padding\": 1, \"groups\": 3",
                   "/layers/2/layers/0/groups",
                   "3",
                   "for \"res_1_conv\""}});
  const auto too_deep = [] {
    parse(document(R"({"repeat": 9, "name": "x", "layers": [
        {"name": "conv", "kind": "convolution", "filters": 4, "kernel": 2}]},)"));
  };
  CHECK(problem_of(too_deep).pointer == "/layers/1/layers/0/kernel");
  CHECK(contains(problem_of(too_deep).allowed, "for \"x_8_conv\""));
}

TEST_CASE("read_layers: as many layers as are allowed, and one more") {
  const auto with = [](const std::string& count, const std::string& more) {
    return document(R"({"repeat": )" + count +
                    R"(, "name": "x", "layers": [{"name": "a", "kind": "relu"}]},)" + more);
  };
  const Network network = parse(with("65534", ""));
  CHECK(network.layer_count() == max_layers);
  CHECK(network.index_of("x_65534_a") == LayerIndex(max_layers - 2));
  CHECK(inputs_of(network, "x_65534_a") == Names{"x_65533_a"});
  CHECK(problem_of([&] { parse(with("65536", "")); }).pointer == "/layers/1/repeat");
  CHECK(problem_of([&] { parse(with("65535", "")); }).pointer == "/layers/2");
  const std::string other =
      R"({"repeat": 1, "name": "y", "layers": [{"name": "a", "kind": "relu"}]},)";
  CHECK(problem_of([&] { parse(with("65535", other)); }).pointer == "/layers/2/repeat");
  CHECK(contains(problem_of([&] { parse(with("65535", "")); }).value, "65537 layers"));
}

TEST_CASE("read_layers: without a layer before, a repeat has no input") {
  const std::string broken = R"({"schema": "cnnplan.network/1", "name": "n", "layers": [
    {"repeat": 2, "name": "x", "layers": [{"name": "a", "kind": "relu", "input": "repeat_input"}]},
    {"name": "loss", "kind": "softmax_cross_entropy"}]})";
  CHECK(problem_of([&] { parse(broken); }).pointer == "/layers/0/layers/0/input");
}

}  // namespace cnnplan::test
