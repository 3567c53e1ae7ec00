// Tests that the networks of configs/networks have the published sizes and shapes.
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/network/network.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

Network config(const std::string& name) {
  return read_network("configs/networks/" + name + ".json");
}

TEST_CASE("Networks: parameters as published") {
  struct Row {
    const char* name;
    std::int64_t parameters;
  };
  for (const Row& row : std::vector<Row>{{"resnet50", 25557032},
                                         {"resnet152", 60192808},
                                         {"inception_v3", 23834568},
                                         {"inception_v3-aux", 27161264},
                                         {"googlenet", 6624904},
                                         {"googlenet-aux", 13004888},
                                         {"densenet121", 7978856},
                                         {"mobilenet_v2", 3504872},
                                         {"shufflenet_v2", 2278604},
                                         {"vgg16", 138357544},
                                         {"alexnet", 61100840},
                                         {"lenet", 431080},
                                         {"cosmoflow", 8907556},
                                         {"cosmoflow-256", 15985956},
                                         {"cosmoflow-512", 23064356},
                                         {"unet-2d", 31036546},
                                         {"unet-2d-transposed", 31036546},
                                         {"unet-3d", 19072291},
                                         {"mesh-1k", 2532354},
                                         {"mesh-2k", 4304898},
                                         {"residual-16", 200 + 16 * 788 + 23050},
                                         {"residual-64", 200 + 64 * 788 + 23050},
                                         {"residual-256", 200 + 256 * 788 + 23050},
                                         {"residual-4093", 3248534},
                                         {"residual-4097", 2071328150}}) {
    CAPTURE(std::string(row.name));
    CHECK(config(row.name).name() == row.name);
    CHECK(config(row.name).parameter_count() == row.parameters);
  }
}

TEST_CASE("Networks: output shapes of telling layers") {
  struct Row {
    const char* network;
    const char* layer;
    Shape shape;
  };
  for (const Row& row : std::vector<Row>{
           {"resnet50", "conv1", {{4, 64, 1, 112, 112}}},
           {"resnet50", "pool1", {{4, 64, 1, 56, 56}}},
           {"resnet50", "res2c", {{4, 256, 1, 56, 56}}},
           {"resnet50", "res3a_branch2a", {{4, 128, 1, 56, 56}}},
           {"resnet50", "res3a_branch2b", {{4, 128, 1, 28, 28}}},
           {"resnet50", "res3b_branch2a", {{4, 128, 1, 28, 28}}},
           {"resnet50", "res4f_relu", {{4, 1024, 1, 14, 14}}},
           {"resnet50", "res5c_relu", {{4, 2048, 1, 7, 7}}},
           {"resnet50", "loss", {{4, 1000, 1, 1, 1}}},
           {"resnet152", "res3b7", {{4, 512, 1, 28, 28}}},
           {"resnet152", "res4b35_relu", {{4, 1024, 1, 14, 14}}},
           {"resnet152", "loss", {{4, 1000, 1, 1, 1}}},
           {"inception_v3", "pool2", {{4, 192, 1, 35, 35}}},
           {"inception_v3", "mixed5b", {{4, 256, 1, 35, 35}}},
           {"inception_v3", "mixed5d", {{4, 288, 1, 35, 35}}},
           {"inception_v3", "mixed6e", {{4, 768, 1, 17, 17}}},
           {"inception_v3", "mixed7a", {{4, 1280, 1, 8, 8}}},
           {"inception_v3", "mixed7c_3x3", {{4, 768, 1, 8, 8}}},
           {"inception_v3", "mixed7c", {{4, 2048, 1, 8, 8}}},
           {"googlenet", "pool1", {{4, 64, 1, 56, 56}}},
           {"googlenet", "inception3b", {{4, 480, 1, 28, 28}}},
           {"googlenet", "inception4e", {{4, 832, 1, 14, 14}}},
           {"googlenet", "inception5b", {{4, 1024, 1, 7, 7}}},
           {"densenet121", "pool0", {{4, 64, 1, 56, 56}}},
           {"densenet121", "dense1_6", {{4, 256, 1, 56, 56}}},
           {"densenet121", "transition3_pool", {{4, 512, 1, 7, 7}}},
           {"densenet121", "dense4_16", {{4, 1024, 1, 7, 7}}},
           {"mobilenet_v2", "conv1_relu", {{4, 32, 1, 112, 112}}},
           {"mobilenet_v2", "block3a_expand", {{4, 96, 1, 112, 112}}},
           {"mobilenet_v2", "block3a_depthwise", {{4, 96, 1, 56, 56}}},
           {"mobilenet_v2", "block5d", {{4, 64, 1, 14, 14}}},
           {"mobilenet_v2", "block8a_project_bn", {{4, 320, 1, 7, 7}}},
           {"mobilenet_v2", "conv9_relu", {{4, 1280, 1, 7, 7}}},
           {"shufflenet_v2", "stage2a_a2_relu", {{4, 58, 1, 28, 28}}},
           {"shufflenet_v2", "stage3b_b", {{4, 116, 1, 14, 14}}},
           {"shufflenet_v2", "stage4d", {{4, 464, 1, 7, 7}}},
           {"vgg16", "conv1_2", {{4, 64, 1, 224, 224}}},
           {"vgg16", "pool5", {{4, 512, 1, 7, 7}}},
           {"vgg16", "loss", {{4, 1000, 1, 1, 1}}},
           {"alexnet", "conv1", {{4, 64, 1, 55, 55}}},
           {"alexnet", "pool5", {{4, 256, 1, 6, 6}}},
           {"alexnet", "loss", {{4, 1000, 1, 1, 1}}},
           {"lenet", "conv1", {{4, 20, 1, 24, 24}}},
           {"lenet", "pool2", {{4, 50, 1, 4, 4}}},
           {"lenet", "loss", {{4, 10, 1, 1, 1}}},
           {"cosmoflow", "relu1", {{4, 32, 128, 128, 128}}},
           {"cosmoflow", "pool5", {{4, 512, 4, 4, 4}}},
           {"cosmoflow", "loss", {{4, 4, 1, 1, 1}}},
           {"cosmoflow-256", "pool5", {{4, 512, 8, 8, 8}}},
           {"cosmoflow-256", "pool6", {{4, 512, 4, 4, 4}}},
           {"cosmoflow-512", "conv1", {{4, 32, 512, 512, 512}}},
           {"cosmoflow-512", "pool7", {{4, 512, 4, 4, 4}}},
           {"unet-2d", "down5_conv2_relu", {{4, 1024, 1, 32, 32}}},
           {"unet-2d", "raise4_conv", {{4, 512, 1, 64, 64}}},
           {"unet-2d", "join4", {{4, 1024, 1, 64, 64}}},
           {"unet-2d", "up1_conv2_relu", {{4, 64, 1, 512, 512}}},
           {"unet-2d", "loss", {{4, 2, 1, 512, 512}}},
           {"unet-2d-transposed", "raise4_conv", {{4, 512, 1, 64, 64}}},
           {"unet-2d-transposed", "loss", {{4, 2, 1, 512, 512}}},
           {"unet-3d", "down4_conv2_relu", {{4, 512, 16, 16, 16}}},
           {"unet-3d", "join3", {{4, 768, 32, 32, 32}}},
           {"unet-3d", "loss", {{4, 3, 128, 128, 128}}},
           {"mesh-1k", "conv1_1", {{4, 128, 1, 512, 512}}},
           {"mesh-1k", "conv6_3", {{4, 128, 1, 16, 16}}},
           {"mesh-1k", "loss", {{4, 2, 1, 16, 16}}},
           {"mesh-2k", "conv1_1", {{4, 128, 1, 1024, 1024}}},
           {"mesh-2k", "conv6_5", {{4, 128, 1, 32, 32}}},
           {"mesh-2k", "loss", {{4, 2, 1, 32, 32}}},
           {"residual-4093", "res_4093_add", {{4, 4, 1, 24, 24}}},
           {"residual-4097", "res_1_conv", {{4, 20, 1, 24, 24}}},
           {"residual-4097", "hidden_15_relu", {{4, 11520, 1, 1, 1}}},
       }) {
    CAPTURE(std::string(row.network));
    CAPTURE(std::string(row.layer));
    const Network network = config(row.network);
    const std::optional<LayerIndex> index = network.index_of(row.layer);
    REQUIRE(index);
    CHECK(network.output_shape(*index, 4) == row.shape);
  }
}

TEST_CASE("Networks: convolutions before a batch norm have no bias") {
  for (const char* name : {"resnet50", "mesh-1k", "mesh-2k"}) {
    const Network network = config(name);
    for (const LayerIndex i : network.layers().indices()) {
      if (!std::holds_alternative<BatchNorm>(network.layer(i).parameters)) continue;
      const Layer& input = network.layer(network.inputs_of(i).at(0));
      CHECK_FALSE(std::get<Convolution>(input.parameters).bias);
    }
  }
}

TEST_CASE("Networks: residual chains take steps that add up to 1") {
  for (const char* name : {"residual-16", "residual-64", "residual-256", "residual-4093"}) {
    CAPTURE(std::string(name));
    const Network network = config(name);
    double time = 0.0;
    for (const LayerIndex i : network.layers().indices()) {
      const auto* add = std::get_if<Add>(&network.layer(i).parameters);
      if (add == nullptr) continue;
      time += add->scale;
      CHECK(network.inputs_of(i) == std::vector<LayerIndex>{i - 3, i - 1});
    }
    CHECK(time == relative(1.0));
  }
}

TEST_CASE("Networks: they run at other sizes too") {
  const Network small = with_input_size(config("mesh-1k"), {1, 512, 512});
  CHECK(small.output_shape(small.loss_layer(), 1) == Shape{{1, 2, 1, 8, 8}});
  CHECK(small.parameter_count() == 2532354);
  const Network resnet = with_input_size(config("resnet50"), {1, 64, 96});
  CHECK(resnet.parameter_count() == 25557032);
  // The first fully connected layer grows with the volume that it reads.
  const Network cosmoflow = with_input_size(config("cosmoflow"), {512, 512, 512});
  CHECK(cosmoflow.output_shape(cosmoflow.index_of("pool5").value(), 1) ==
        Shape{{1, 512, 16, 16, 16}});
  CHECK(cosmoflow.parameter_count() == 8907556 + 128 * 512 * (16 * 16 * 16 - 4 * 4 * 4));
}

}  // namespace
}  // namespace cnnplan::test
