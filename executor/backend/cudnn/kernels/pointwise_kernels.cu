// Runs one thread for each vector of channels of one position, or of an array.
#include <array>
#include <limits>

#include "executor/backend/cudnn/kernels/column_sums.hpp"
#include "executor/backend/cudnn/kernels/each_vector.hpp"
#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"
#include "executor/backend/dropout_mask.hpp"
#include "executor/backend/element_wise_functions.hpp"

namespace cnnplan::cudnn {
namespace {

// Applies a function of element_wise_functions.hpp to an element.
template <typename Function>
struct Forward {
  double parameter;
  template <typename Number>
  CNNPLAN_HOST_DEVICE Number operator()(Number x, Number) const {
    return Function::forward(x, stored<Number>(parameter));
  }
};

template <typename Function>
struct Backward {
  double parameter;
  template <typename Number>
  CNNPLAN_HOST_DEVICE Number operator()(Number saved, Number dy) const {
    return Function::backward(saved, dy, stored<Number>(parameter));
  }
};

struct Sum {
  double scale;
  bool relu;
  template <typename Number>
  CNNPLAN_HOST_DEVICE Number operator()(Number a, Number b) const {
    const Number sum = a + stored<Number>(scale) * b;
    return relu ? positive_part(sum) : sum;
  }
};

struct Product {
  double scale;
  template <typename Number>
  CNNPLAN_HOST_DEVICE Number operator()(Number dy, Number) const {
    return stored<Number>(scale) * dy;
  }
};

// Computes out = operation(a, b), where b may be a.
template <typename T, int width, typename Operation>
struct Pointwise {
  Block<const T> a;
  Block<const T> b;
  Block<T> out;
  Operation operation;

  CNNPLAN_HOST_DEVICE void operator()(const Place& place, std::uint32_t channel) const {
    auto value = load<width>(a.at(place) + channel);
    const auto other = load<width>(b.at(place) + channel);
    for (int i = 0; i < width; ++i) {
      value.values[i] = operation(value.values[i], other.values[i]);
    }
    store<width>(out.at(place) + channel, value);
  }
};

template <typename Operation>
void pointwise(const KernelSpec& spec,
               const TensorView& a,
               const TensorView& b,
               const TensorView& out,
               const Operation& operation,
               cudaStream_t stream) {
  const std::array blocks{a, b, out};
  const std::int64_t channels = vector_channels(spec.out[Dim::c], blocks);
  with_kind(spec.precision, channels, [&]<typename K>(K) {
    using T = typename K::Type;
    constexpr int width = K::channels;
    for_each_vector<width>(stream,
                           Positions(spec.out, {&a, &b, &out}),
                           spec.out[Dim::c],
                           Pointwise<T, width, Operation>{
                               Block<const T>(a), Block<const T>(b), Block<T>(out), operation});
  });
}

template <typename T, int width>
struct Dropout {
  Block<const T> in;
  Block<T> out;
  std::int64_t begin[4];  // the global index of the block: n, d, h, w
  std::int64_t first_channel;
  std::uint64_t stream_number;
  double rate;
  const StepValues* step;

  CNNPLAN_HOST_DEVICE void operator()(const Position& position, std::uint32_t channel) const {
    auto value = load<width>(in.at(position) + channel);
    if (step->training) {
      const std::uint64_t key = key_of(position);
      const auto scale = stored<Computed<T>>(1.0 / (1.0 - rate));
      for (int i = 0; i < width; ++i) {
        const bool kept = dropout_keeps(key, first_channel + channel + i, rate);
        value.values[i] = kept ? value.values[i] * scale : Computed<T>{0};
      }
    }
    store<width>(out.at(position) + channel, value);
  }
  CNNPLAN_HOST_DEVICE std::uint64_t key_of(const Position& position) const {
    const std::uint64_t key =
        random_key({step->seed, RandomUse::dropout, stream_number, step->step});
    return dropout_key(key,
                       {begin[0] + position.n,
                        begin[1] + position.d,
                        begin[2] + position.h,
                        begin[3] + position.w});
  }
};

// Runs a body on arrays, in vectors where all of its arrays are aligned to them.
template <int width, typename Body>
void run_on_array(cudaStream_t stream, std::int64_t count, const Body& body) {
  if (body.template is_aligned<width>()) {
    for_each_of_array<width>(stream, count, body);
  } else {
    for_each_of_array<1>(stream, count, body);
  }
}

// Updates as PyTorch defines it: v = momentum v + (gradient + decay weight), weight -= rate v.
template <typename Number, typename Copy>
struct Sgd {
  Number* weight;
  const Number* gradient;
  Number* momentum;
  Copy* copy;  // may be null
  const StepValues* step;

  template <int width>
  CNNPLAN_HOST_DEVICE void run(std::uint32_t first) const {
    Vector<Number, width> w = fetch<width>(weight + first);
    const Vector<Number, width> g = fetch<width>(gradient + first);
    Vector<Number, width> m = fetch<width>(momentum + first);
    Vector<Copy, width> c;
    for (int i = 0; i < width; ++i) {
      const auto unscaled = g.values[i] / stored<Number>(step->loss_scale);
      const Number decayed = unscaled + stored<Number>(step->weight_decay) * w.values[i];
      m.values[i] = stored<Number>(step->momentum) * m.values[i] + decayed;
      w.values[i] -= stored<Number>(step->learning_rate) * m.values[i];
      c.values[i] = static_cast<Copy>(w.values[i]);
    }
    put<width>(momentum + first, m);
    put<width>(weight + first, w);
    if (copy != nullptr) put<width>(copy + first, c);
  }
  template <int width>
  bool is_aligned() const {
    return is_aligned_for<width>(weight) && is_aligned_for<width>(gradient) &&
           is_aligned_for<width>(momentum) && is_aligned_for<width>(copy);
  }
};

template <typename Number, typename Copy>
void sgd_of(const KernelCall& call, const OperandsByRole& operands) {
  const bool has_copies = operands.has(Role::copies);
  run_on_array<full_width<Number>>(
      call.stream,
      volume(call.spec.out),
      Sgd<Number, Copy>{operands[Role::parameters].as<Number>(),
                        operands[Role::gradient].as<const Number>(),
                        operands[Role::momentum].as<Number>(),
                        has_copies ? operands[Role::copies].as<Copy>() : nullptr,
                        call.step});
}

template <typename T, int width>
struct AddBias {
  Block<const T> x;
  const Computed<T>* bias;
  Block<T> y;
  bool clip;

  CNNPLAN_HOST_DEVICE void operator()(const Place& place, std::uint32_t channel) const {
    auto value = load<width>(x.at(place) + channel);
    const auto added = load<width>(bias + channel);
    for (int i = 0; i < width; ++i) {
      const auto sum = value.values[i] + added.values[i];
      value.values[i] = clip ? positive_part(sum) : sum;
    }
    store<width>(y.at(place) + channel, value);
  }
};

// Computes y = relu?(x + bias).
void add_bias(const KernelSpec& spec,
              const TensorView& x,
              const TensorView& bias,
              const TensorView& y,
              cudaStream_t stream) {
  const std::array blocks{x, y};
  with_kind(spec.precision, vector_channels(spec.out[Dim::c], blocks), [&]<typename K>(K) {
    using T = typename K::Type;
    constexpr int width = K::channels;
    for_each_vector<width>(
        stream,
        Positions(spec.out, {&x, &y}),
        spec.out[Dim::c],
        AddBias<T, width>{Block<const T>(x), bias.as<const Computed<T>>(), Block<T>(y), spec.relu});
  });
}

template <typename T, int width>
struct PlainTerm : BlockReader<T, width> {
  using Item = Vector<T, width>;

  CNNPLAN_HOST_DEVICE void add(std::uint32_t, const Item& item, Partial<T, width, 1>& sums) const {
    const auto value = widen(item);
    for (int i = 0; i < width; ++i) sums.values[0].values[i] += value.values[i];
  }
};

template <typename Number>
struct SetGradient {
  Number* gradient;
  CNNPLAN_HOST_DEVICE void set(int, std::uint32_t channel, double value) const {
    gradient[channel] = stored<Number>(value);
  }
};

template <typename From, typename To>
struct Convert {
  const From* from;
  To* to;

  template <int width>
  CNNPLAN_HOST_DEVICE void run(std::uint32_t first) const {
    const auto values = fetch<width>(from + first);
    Vector<To, width> converted;
    for (int i = 0; i < width; ++i) converted.values[i] = static_cast<To>(values.values[i]);
    put<width>(to + first, converted);
  }
  template <int width>
  bool is_aligned() const {
    return is_aligned_for<width>(from) && is_aligned_for<width>(to);
  }
};

template <typename T>
struct FillRandom {
  T* memory;
  std::uint64_t seed;
  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t i) const {
    memory[i] = stored<T>(2.0 * random_uniform(seed, i) - 1.0);
  }
};

}  // namespace

void element_wise(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  ElementWiseFunctions::with(spec.kind, [&]<typename Function>(Function) {
    const double parameter = parameter_of<Function>(spec, call.constants);
    if (spec.phase == KernelPhase::forward) {
      const TensorView& x = operands[Role::x];
      pointwise(spec, x, x, operands[Role::y], Forward<Function>{parameter}, call.stream);
    } else {
      pointwise(spec,
                operands[saved_role(operands)],
                operands[Role::dy],
                operands[Role::dx],
                Backward<Function>{parameter},
                call.stream);
    }
  });
}

void add(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const double scale = call.constants.add_scale;
  if (spec.phase == KernelPhase::forward) {
    pointwise(spec,
              operands[Role::a],
              operands[Role::b],
              operands[Role::y],
              Sum{scale, spec.relu},
              call.stream);
  } else {
    const TensorView& dy = operands[Role::dy];
    pointwise(spec, dy, dy, operands[Role::dx], Product{scale}, call.stream);
  }
}

void dropout(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const TensorView& read = operands[block_read(spec.phase)];
  const TensorView& written = operands[block_written(spec.phase)];
  const Box& box = read.box;
  const std::int64_t channels = vector_channels(spec.out[Dim::c], operands.in_order());
  with_kind(spec.precision, channels, [&]<typename K>(K) {
    using T = typename K::Type;
    constexpr int width = K::channels;
    for_each_vector<width>(
        call.stream,
        spec.out,
        Dropout<T, width>{
            Block<const T>(read),
            Block<T>(written),
            {box[Dim::n].begin, box[Dim::d].begin, box[Dim::h].begin, box[Dim::w].begin},
            box[Dim::c].begin,
            call.constants.random_stream,
            call.constants.parameter,
            call.step});
  });
}

void sgd(const KernelCall& call, const OperandsByRole& operands) {
  with_type_of(activation_element(call.spec.precision),
               [&]<typename T>(T) { sgd_of<Computed<T>, T>(call, operands); });
}

void bias(const KernelCall& call, const OperandsByRole& operands) {
  if (call.spec.phase == KernelPhase::forward) {
    add_bias(call.spec, operands[Role::x], operands[Role::bias], operands[Role::y], call.stream);
  } else {
    bias_gradient(call.spec.precision, operands[Role::dy], operands[Role::dbias], call.sums());
  }
}

std::int64_t bias_workspace_bytes(const KernelSpec& spec) {
  return spec.phase == KernelPhase::forward ? 0 : bias_gradient_workspace_bytes(spec.out);
}

void finish_convolution(const KernelSpec& spec,
                        const TensorView& bias,
                        const TensorView& y,
                        cudaStream_t stream) {
  if (!spec.bias) {
    constexpr Forward<ReluFunction> clip{std::numeric_limits<double>::infinity()};
    if (spec.relu) pointwise(spec, y, y, y, clip, stream);
    return;
  }
  add_bias(spec, y, bias, y, stream);
}

std::int64_t bias_gradient_workspace_bytes(const Shape& dy) {
  return sums_workspace_bytes(dy[Dim::c], 1);
}

void bias_gradient(Precision precision,
                   const TensorView& dy,
                   const TensorView& dbias,
                   const SumScratch& scratch) {
  const Shape shape = dy.shape();
  // An empty block names no channels. Its sums are still 0.
  const std::int64_t channels = volume(dbias.shape());
  if (channels == 0) return;
  with_kind(precision, channels, [&]<typename K>(K) {
    using T = typename K::Type;
    constexpr int width = K::channels;
    const Positions positions(shape, {&dy});
    column_sums<T, width, 1>(scratch,
                             positions.count(),
                             channels,
                             PlainTerm<T, width>{{positions, Block<const T>(dy)}},
                             SetGradient<Computed<T>>{dbias.as<Computed<T>>()});
  });
}

void widen_values(
    Precision precision, const void* narrow, float* wide, std::int64_t count, cudaStream_t stream) {
  with_type_of(activation_element(precision), [&]<typename T>(T) {
    run_on_array<full_width<T>>(
        stream, count, Convert<T, float>{static_cast<const T*>(narrow), wide});
  });
}

void narrow_values(
    Precision precision, const float* wide, void* narrow, std::int64_t count, cudaStream_t stream) {
  with_type_of(activation_element(precision), [&]<typename T>(T) {
    run_on_array<full_width<T>>(stream, count, Convert<float, T>{wide, static_cast<T*>(narrow)});
  });
}

void fill_random(ElementType element,
                 void* memory,
                 std::int64_t count,
                 std::uint64_t seed,
                 cudaStream_t stream) {
  with_type_of(element, [&]<typename T>(T) {
    launch(stream, count, FillRandom<T>{static_cast<T*>(memory), seed});
  });
}

}  // namespace cnnplan::cudnn
