// Tests batch norm over some of the ranks: each group computes as one rank does with its part
// alone.
#include <algorithm>
#include <iterator>
#include <vector>

#include <doctest/doctest.h>

#include "executor/data/synthetic_data.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/distribution.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"

namespace cnnplan::test {
namespace {

constexpr std::uint64_t seed = 11;

// Gives a block of the mini-batch as if it were the whole mini-batch.
class PartOfData : public DataSource {
 public:
  PartOfData(const BatchShape& all, const Box& part) : all_(all, seed), part_(part) {}

  std::int64_t sample_count() const override { return part_[Dim::n].size(); }
  std::int64_t step_count() const override { return 1; }
  std::int64_t valid_count(std::int64_t) const override { return sample_count(); }
  void read_samples(std::int64_t step, const TensorView& samples) override {
    all_.read_samples(step, moved(samples));
  }
  void read_labels(std::int64_t step, const TensorView& labels) override {
    all_.read_labels(step, moved(labels));
  }

 private:
  TensorView moved(TensorView view) const {
    for (Dim dim : {Dim::n, Dim::d, Dim::h, Dim::w}) {
      view.box[dim].begin += part_[dim].begin;
      view.box[dim].end += part_[dim].begin;
    }
    return view;
  }

  SyntheticData all_;
  Box part_;
};

Convolution convolution(std::int64_t filters, std::int64_t kernel, std::int64_t stride) {
  Convolution layer{.filters = filters, .bias = true};
  for (std::size_t dim : {1U, 2U}) {
    layer.window.dims[dim] = {
        .kernel = kernel, .stride = stride, .padding_begin = kernel / 2, .padding_end = kernel / 2};
  }
  return layer;
}

// Makes a network in which only batch norm mixes samples.
Network image_network() {
  return Network("images",
                 {{"input", {}, Input{.channels = 3, .size = {1, 9, 7}}},
                  {"conv1", {"input"}, convolution(4, 3, 1)},
                  {"bn1", {"conv1"}, BatchNorm{}},
                  {"relu1", {"bn1"}, Relu{}},
                  {"conv2", {"relu1"}, convolution(4, 3, 1)},
                  {"bn2", {"conv2"}, BatchNorm{}},
                  {"add", {"bn2", "relu1"}, Add{}},
                  {"conv3", {"add"}, convolution(5, 3, 2)},
                  {"bn3", {"conv3"}, BatchNorm{}},
                  {"fc", {"bn3"}, FullyConnected{.outputs = 4}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Makes a network in which only batch norm mixes positions.
Network pixel_network() {
  return Network("pixels",
                 {{"input", {}, Input{.channels = 3, .size = {1, 9, 7}}},
                  {"conv1", {"input"}, convolution(6, 1, 1)},
                  {"bn1", {"conv1"}, BatchNorm{}},
                  {"relu1", {"bn1"}, Relu{}},
                  {"conv2", {"relu1"}, convolution(4, 1, 1)},
                  {"bn2", {"conv2"}, BatchNorm{}},
                  {"loss", {"bn2"}, SoftmaxCrossEntropy{}}});
}

struct GroupCase {
  const char* mesh;
  BatchNormStatistics statistics;
  Network network;
};

std::vector<GroupCase> group_cases(int ranks) {
  const std::vector<GroupCase> all{
      {"1", BatchNormStatistics::local, image_network()},
      {"n2", BatchNormStatistics::spatial, image_network()},
      {"n2", BatchNormStatistics::local, image_network()},
      {"h2", BatchNormStatistics::local, pixel_network()},
      {"r2", BatchNormStatistics::spatial, image_network()},
      {"n3", BatchNormStatistics::spatial, image_network()},
      {"w3", BatchNormStatistics::local, pixel_network()},
      {"n2h2", BatchNormStatistics::spatial, image_network()},
      {"w2n2", BatchNormStatistics::spatial, image_network()},
      {"n2r2", BatchNormStatistics::spatial, image_network()},
      {"r2n2", BatchNormStatistics::local, image_network()},
      {"n2w2", BatchNormStatistics::local, pixel_network()},
      {"h2w2", BatchNormStatistics::local, pixel_network()},
  };
  std::vector<GroupCase> cases;
  std::copy_if(all.begin(), all.end(), std::back_inserter(cases), [ranks](const GroupCase& entry) {
    return parse_mesh(entry.mesh).rank_count() == ranks;
  });
  return cases;
}

// Returns the parts of the mini-batch that are normalised together.
std::vector<Box> parts_of(const Plan& plan) {
  const Shape shape = plan.network.output_shape(LayerIndex(0), plan.batch);
  const Distribution distribution(shape, plan.layers[LayerIndex(0)].mesh);
  std::vector<Box> parts;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    Box part = distribution.box(rank);
    if (plan.layers[LayerIndex(0)].statistics == BatchNormStatistics::spatial) {
      const Range samples = part[Dim::n];
      part = whole(shape);
      part[Dim::n] = samples;
    }
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  return parts;
}

void add(std::vector<double>& sum, const std::vector<double>& values, double factor) {
  sum.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sum[i] += factor * values[i];
}

// Computes loss and gradients of each part alone, and adds them weighted by their share of
// positions.
RunResult sum_of_parts(const Plan& plan, const Communicator& self) {
  const Shape shape = plan.network.output_shape(LayerIndex(0), plan.batch);
  const BatchShape batch = batch_shape(plan.network, plan.batch, Precision::fp64);
  RunResult sum;
  for (const Box& part : parts_of(plan)) {
    const Network network = with_input_size(
        plan.network, {part[Dim::d].size(), part[Dim::h].size(), part[Dim::w].size()});
    Plan alone = uniform_plan(network, part[Dim::n].size(), Mesh());
    alone.precision = Precision::fp64;
    PartOfData data(batch, part);
    const RunResult result =
        run_plan(alone, {.backend = "reference", .seed = seed, .steps = 1, .data = &data}, self);
    const double share = static_cast<double>(volume(part)) / static_cast<double>(volume(shape));
    add(sum.loss, result.loss, share);
    for (const auto& [name, values] : result.gradients) add(sum.gradients[name], values, share);
  }
  return sum;
}

RunResult loss_and_gradients(const Plan& plan,
                             const std::string& backend,
                             const Communicator& world) {
  const RunResult result = run_plan(plan, {.backend = backend, .seed = seed, .steps = 1}, world);
  return {.loss = result.loss, .gradients = result.gradients};
}

TEST_CASE("Training: ranks that normalise together compute what their part alone computes") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  for (const GroupCase& entry : group_cases(world.size())) {
    CAPTURE(entry.mesh);
    CAPTURE(to_text(entry.statistics));
    Plan plan = uniform_plan(entry.network, 5, parse_mesh(entry.mesh));
    for (LayerPlan& layer : plan.layers) layer.statistics = entry.statistics;
    const RunResult expected = sum_of_parts(plan, self);
    const Difference floats =
        largest_difference(loss_and_gradients(plan, tested_backend("onednn"), world), expected);
    CHECK_MESSAGE(floats.size <= float_tolerance, floats.tensor);
    plan.precision = Precision::fp64;
    const Difference doubles =
        largest_difference(loss_and_gradients(plan, tested_backend("reference"), world), expected);
    CHECK_MESSAGE(doubles.size <= double_tolerance, doubles.tensor);
  }
}

}  // namespace
}  // namespace cnnplan::test
