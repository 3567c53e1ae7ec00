// Tests accuracy and error of a network that passes its input on, so that the right results are
// known.
#include "executor/training/evaluation.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/data/data_source.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t sample_count = 7;
constexpr std::int64_t batch = 3;  // the last mini-batch holds one sample
constexpr std::int64_t classes = 3;
constexpr std::int64_t height = 5;
constexpr std::int64_t width = 2;

// Returns the class that the channels of a position favour. Every fourth position has another
// label.
std::int64_t favoured_class(std::int64_t position) {
  return position * 5 % classes;
}
bool is_right(std::int64_t position) {
  return position % 4 != 1;
}
std::int64_t label_of(std::int64_t position) {
  return (favoured_class(position) + (is_right(position) ? 0 : 1)) % classes;
}

// Returns the difference between a channel at a position and its target.
double difference_at(std::int64_t position, std::int64_t channel) {
  return 0.25 * static_cast<double>(position % 4 + channel);
}

// Gives known values by position, which is a number over samples, rows and columns. With a loss per
// image, it is the number of the sample.
class KnownData : public DataSource {
 public:
  KnownData(bool per_pixel, bool has_targets) : per_pixel_(per_pixel), has_targets_(has_targets) {}

  std::int64_t sample_count() const override { return cnnplan::sample_count; }
  std::int64_t step_count() const override { return (sample_count() + batch - 1) / batch; }
  std::int64_t valid_count(std::int64_t step) const override {
    return std::min(batch, sample_count() - step * batch);
  }
  void read_samples(std::int64_t step, const TensorView& samples) override {
    fill<float>(samples, [&](const Shape& index) { return sample(step, index); });
  }
  void read_labels(std::int64_t step, const TensorView& labels) override {
    if (has_targets_) {
      // Targets after the last sample are far off, and must not count.
      return fill<float>(labels, [&](const Shape& index) {
        const double difference = difference_at(position(step, index), index[Dim::c]);
        return sample(step, index) +
               (is_valid(step, index) ? static_cast<float>(difference) : 1000.0F);
      });
    }
    fill<std::int32_t>(labels, [&](const Shape& index) {
      const std::int64_t label = label_of(position(step, index));
      return static_cast<std::int32_t>(is_valid(step, index) ? label : 0);
    });
  }

 private:
  float sample(std::int64_t step, const Shape& index) const {
    const bool favoured = favoured_class(position(step, index)) == index[Dim::c];
    return is_valid(step, index) && favoured ? 1.0F : 0.0F;
  }
  bool is_valid(std::int64_t step, const Shape& index) const {
    return index[Dim::n] < valid_count(step);
  }
  std::int64_t position(std::int64_t step, const Shape& index) const {
    const std::int64_t sample = step * batch + index[Dim::n];
    return per_pixel_ ? (sample * height + index[Dim::h]) * width + index[Dim::w] : sample;
  }
  template <typename T, typename Value>
  static void fill(const TensorView& view, Value value) {
    const Box& box = view.box;
    Shape i{{0, 0, 0, 0, 0}};
    for (i[Dim::n] = box[Dim::n].begin; i[Dim::n] < box[Dim::n].end; ++i[Dim::n])
      for (i[Dim::h] = box[Dim::h].begin; i[Dim::h] < box[Dim::h].end; ++i[Dim::h])
        for (i[Dim::w] = box[Dim::w].begin; i[Dim::w] < box[Dim::w].end; ++i[Dim::w])
          for (i[Dim::c] = box[Dim::c].begin; i[Dim::c] < box[Dim::c].end; ++i[Dim::c]) {
            std::int64_t offset = 0;
            for (Dim dim : all_dims) offset += (i[dim] - box[dim].begin) * view.stride(dim);
            view.as<T>()[offset] = value(i);
          }
  }

  bool per_pixel_;
  bool has_targets_;
};

// Makes a network whose convolution is the identity. Dropout would drop half of the logits in
// training, but not in an evaluation. The auxiliary loss has logits that are unrelated to those of
// the main loss.
Network passing_network(bool per_pixel, bool has_targets) {
  std::vector<Layer> layers{
      {"data", {}, Input{.channels = classes, .size = {1, height, width}}},
      {"conv", {"data"}, Convolution{.filters = classes}},
      {"drop", {"conv"}, Dropout{.rate = 0.5}},
  };
  if (!per_pixel) layers.push_back({"mean", {"drop"}, GlobalPooling{}});
  const std::string logits = layers.back().name;
  LayerParameters loss = SoftmaxCrossEntropy{};
  if (has_targets) loss = MeanSquaredError{};
  layers.push_back({"auxiliary_conv", {logits}, Convolution{.filters = classes}});
  layers.push_back({"auxiliary_bn", {"auxiliary_conv"}, BatchNorm{}});
  layers.push_back({"auxiliary_loss", {"auxiliary_bn"}, loss});
  layers.push_back({"loss", {logits}, loss});
  return Network("passing", layers);
}

std::vector<double> identity(double scale) {
  std::vector<double> weight(static_cast<std::size_t>(classes * classes), 0.0);
  for (std::int64_t i = 0; i < classes; ++i)
    weight[static_cast<std::size_t>(i * (classes + 1))] = scale;
  return weight;
}

// Evaluates the network with logits that are multiplied by `scale`.
double evaluated(const Plan& plan, bool per_pixel, const Communicator& world, double scale = 1.0) {
  const auto backend = make_backend(test::tested_backend(std::string(default_backend())));
  const Schedule schedule = lower(plan, world.rank());
  ParameterStore parameters(schedule, plan.network, plan.precision, *backend);
  parameters.set_weight(schedule.slots.last_index(), in_slices(identity(scale)));
  Groups groups(world);
  KnownData data(per_pixel, has_targets(plan.network));
  return evaluate(plan, *backend, parameters, groups, data);
}

double expected_accuracy(bool per_pixel) {
  const std::int64_t positions = sample_count * (per_pixel ? height * width : 1);
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < positions; ++i) right += is_right(i) ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(positions);
}

double expected_error(bool per_pixel) {
  const std::int64_t positions = sample_count * (per_pixel ? height * width : 1);
  double sum = 0.0;
  for (std::int64_t i = 0; i < positions; ++i) {
    for (std::int64_t c = 0; c < classes; ++c) sum += difference_at(i, c) * difference_at(i, c);
  }
  return sum / static_cast<double>(positions * classes);
}

// Calls check(plan, per_pixel) for losses per image and per pixel, on splits of one axis.
template <typename Check>
void for_each_split(bool has_targets, const Communicator& world, const Check& check) {
  for (bool per_pixel : {false, true}) {
    for (Axis axis : {Axis::n, Axis::h, Axis::w, Axis::r}) {
      const Mesh mesh({{axis, world.size()}});
      CAPTURE(per_pixel);
      CAPTURE(to_text(mesh));
      check(uniform_plan(passing_network(per_pixel, has_targets), batch, mesh), per_pixel);
    }
  }
}

}  // namespace

TEST_CASE("evaluate: counts every position once, on any split, and no padding of the last batch") {
  const Communicator world = Communicator::world();
  for_each_split(false, world, [&](const Plan& plan, bool per_pixel) {
    CHECK(evaluated(plan, per_pixel, world) == expected_accuracy(per_pixel));
  });
}

TEST_CASE("evaluate: the error from targets is a mean in which every element counts once") {
  const Communicator world = Communicator::world();
  for_each_split(true, world, [&](const Plan& plan, bool per_pixel) {
    CHECK(evaluated(plan, per_pixel, world) == relative(expected_error(per_pixel), 1e-6));
  });
}

TEST_CASE("evaluate: an output that is not finite makes the result so, on all ranks") {
  const Communicator world = Communicator::world();
  for_each_split(false, world, [&](const Plan& plan, bool per_pixel) {
    CHECK(!std::isfinite(evaluated(plan, per_pixel, world, HUGE_VAL)));
  });
}

// On a GPU, the plans for all numbers of ranks would have to name the same engines.
TEST_CASE("evaluate: the distribution of samples over ranks changes no bit of the error") {
  const Communicator world = Communicator::world();
  if (test::tested_backend(std::string(default_backend())) == "cudnn") return;
  const Communicator self = Communicator::group(world, {world.rank()});
  for (bool per_pixel : {false, true}) {
    CAPTURE(per_pixel);
    const Network network = passing_network(per_pixel, true);
    const Plan plan = uniform_plan(network, batch, Mesh({{Axis::n, world.size()}}));
    // The squares of these numbers are not short, so their sums depend on the order.
    constexpr double third = 1.0 / 3.0;
    CHECK(evaluated(plan, per_pixel, world, third) ==
          evaluated(uniform_plan(network, batch, Mesh()), per_pixel, self, third));
  }
}

}  // namespace cnnplan
