// Reads and writes rates by precision and phase, with one table of keys for each type.
#include "planner/kernel/kernel_rates_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

using Json = nlohmann::ordered_json;

constexpr NumberRange rate_range{.minimum = 0.0, .maximum = 1e30, .ends = Ends::open_below};
constexpr NumberRange efficiency_range{.minimum = 0.0, .maximum = 1000.0, .ends = Ends::open_below};
constexpr NumberRange half_range{.minimum = 0.0, .maximum = 1e30};
constexpr NumberRange low_range{.minimum = 0.0, .maximum = 1.0, .ends = Ends::open_below};
constexpr NumberRange high_range{.minimum = 1.0, .maximum = 1000.0};

// Pairs a key of an object with the member that holds its value.
template <typename Value, typename Object>
struct Field {
  const char* key;
  Value Object::*member;
};

constexpr std::array<Field<double, ConvolutionEfficiency>, 5> efficiency_fields{{
    {"pointwise", &ConvolutionEfficiency::pointwise},
    {"three_by_three", &ConvolutionEfficiency::three_by_three},
    {"strided", &ConvolutionEfficiency::strided},
    {"other", &ConvolutionEfficiency::other},
    {"three_dimensional", &ConvolutionEfficiency::three_dimensional},
}};

constexpr std::array<Field<double, ConvolutionRates>, 3> half_fields{{
    {"outputs_half", &ConvolutionRates::outputs_half},
    {"channels_half", &ConvolutionRates::channels_half},
    {"filters_half", &ConvolutionRates::filters_half},
}};

constexpr std::array<Field<ConvolutionRates, PrecisionRates>, 3> phase_fields{{
    {"forward", &PrecisionRates::forward},
    {"backward_data", &PrecisionRates::backward_data},
    {"backward_filter", &PrecisionRates::backward_filter},
}};

ConvolutionEfficiency read_efficiency(const JsonReader& reader) {
  reader.allow_keys({"pointwise", "three_by_three", "strided", "other", "three_dimensional"});
  ConvolutionEfficiency efficiency;
  for (const auto& [key, member] : efficiency_fields) {
    const bool is_missing = member == &ConvolutionEfficiency::three_dimensional && !reader.has(key);
    efficiency.*member = is_missing ? efficiency.other : reader.at(key).number(efficiency_range);
  }
  return efficiency;
}

ConvolutionRates read_convolution(const JsonReader& reader) {
  reader.allow_keys({"overhead_s", "efficiency", "outputs_half", "channels_half", "filters_half"});
  ConvolutionRates rates{.overhead_s = reader.at("overhead_s").number(seconds_range),
                         .efficiency = read_efficiency(reader.at("efficiency"))};
  for (const auto& [key, member] : half_fields) rates.*member = reader.at(key).number(half_range);
  return rates;
}

PrecisionRates read_precision(Precision precision, const JsonReader& reader) {
  reader.allow_keys(
      {"flops_per_s", "low_factor", "high_factor", "forward", "backward_data", "backward_filter"});
  PrecisionRates rates{.precision = precision,
                       .flops_per_s = reader.at("flops_per_s").number(rate_range),
                       .low_factor = reader.at("low_factor").number(low_range),
                       .high_factor = reader.at("high_factor").number(high_range)};
  for (const auto& [key, member] : phase_fields) rates.*member = read_convolution(reader.at(key));
  return rates;
}

std::vector<PrecisionRates> read_precisions(const JsonReader& reader) {
  reader.allow_keys({"fp32", "fp64", "tf32", "bf16", "fp16"});
  std::vector<PrecisionRates> precisions;
  for (const Precision precision : Enumerators<Precision>::all) {
    const std::string_view key = to_text(precision);
    if (precision != Precision::fp32 && !reader.has(key)) continue;
    precisions.push_back(read_precision(precision, reader.at(key)));
  }
  return precisions;
}

Json to_ordered_json(const ConvolutionRates& rates) {
  Json json{{"overhead_s", rates.overhead_s}, {"efficiency", Json::object()}};
  for (const auto& [key, member] : efficiency_fields) {
    json["efficiency"][key] = rates.efficiency.*member;
  }
  for (const auto& [key, member] : half_fields) json[key] = rates.*member;
  return json;
}

Json to_ordered_json(const PrecisionRates& rates) {
  Json json{{"flops_per_s", rates.flops_per_s},
            {"low_factor", rates.low_factor},
            {"high_factor", rates.high_factor}};
  for (const auto& [key, member] : phase_fields) json[key] = to_ordered_json(rates.*member);
  return json;
}

}  // namespace

KernelRates kernel_rates_from_json(const JsonReader& reader) {
  reader.allow_keys({"source", "bytes_per_s", "overhead_s", "precisions"});
  return {.source = reader.at("source").name(),
          .bytes_per_s = reader.at("bytes_per_s").number(rate_range),
          .overhead_s = reader.at("overhead_s").number(seconds_range),
          .precisions = read_precisions(reader.at("precisions"))};
}

Json to_ordered_json(const KernelRates& rates) {
  Json json{{"source", rates.source},
            {"bytes_per_s", rates.bytes_per_s},
            {"overhead_s", rates.overhead_s},
            {"precisions", Json::object()}};
  for (const PrecisionRates& precision : rates.precisions) {
    json["precisions"][std::string(to_text(precision.precision))] = to_ordered_json(precision);
  }
  return json;
}

}  // namespace cnnplan
