// Reads and writes rivals and draws, field by field.
#include "planner/plan/rival_json.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace cnnplan {
namespace {

using Json = nlohmann::ordered_json;

constexpr NumberRange step_range{.minimum = 0.0, .maximum = 1e30};
constexpr NumberRange error_range{.minimum = 0.0, .maximum = 1e9};

std::vector<double> read_numbers(const JsonReader& reader) {
  std::vector<double> numbers;
  for (const JsonReader& entry : reader.entries()) numbers.push_back(entry.number(step_range));
  return numbers;
}

PartTime read_part(const JsonReader& reader) {
  reader.allow_keys({"part", "critical_s"});
  return {.part = reader.at("part").enumerator<OperationPart>(),
          .critical_s = reader.at("critical_s").number(step_range)};
}

Rival read_rival(const JsonReader& reader) {
  reader.allow_keys({"kind",
                     "plan",
                     "ranks",
                     "step_s",
                     "memory_bytes",
                     "fits",
                     "reduced_gradients",
                     "parts",
                     "draws_s"});
  Rival rival{.kind = reader.at("kind").enumerator<RivalKind>(),
              .plan = reader.at("plan").name(),
              .ranks = reader.at("ranks").integer<int>(ranks_range),
              .step_s = reader.at("step_s").number(step_range),
              .parts = {}};
  reader.read("memory_bytes", rival.memory_bytes, bytes_range);
  reader.read("fits", rival.fits);
  reader.read("reduced_gradients", rival.reduced_gradients, bytes_range);
  for (const JsonReader& entry : reader.at("parts").entries()) {
    rival.parts.push_back(read_part(entry));
  }
  if (reader.has("draws_s")) rival.draws_s = read_numbers(reader.at("draws_s"));
  return rival;
}

DrawnFigure read_figure(const JsonReader& reader) {
  reader.allow_keys({"figure", "error", "factors"});
  return {.figure = reader.at("figure").name(),
          .error = reader.at("error").number(error_range),
          .factors = read_numbers(reader.at("factors"))};
}

Draws read_draws(const JsonReader& reader) {
  reader.allow_keys({"figures", "steps_s"});
  Draws draws{.figures = {}, .steps_s = read_numbers(reader.at("steps_s"))};
  for (const JsonReader& entry : reader.at("figures").entries()) {
    draws.figures.push_back(read_figure(entry));
  }
  return draws;
}

Json to_ordered_json(const Rival& rival) {
  Json json{{"kind", to_text(rival.kind)},
            {"plan", rival.plan},
            {"ranks", rival.ranks},
            {"step_s", rival.step_s},
            {"memory_bytes", rival.memory_bytes},
            {"fits", rival.fits},
            {"reduced_gradients", rival.reduced_gradients},
            {"parts", Json::array()}};
  for (const PartTime& part : rival.parts) {
    json["parts"].push_back({{"part", to_text(part.part)}, {"critical_s", part.critical_s}});
  }
  if (!rival.draws_s.empty()) json["draws_s"] = rival.draws_s;
  return json;
}

Json to_ordered_json(const Draws& draws) {
  Json json{{"steps_s", draws.steps_s}, {"figures", Json::array()}};
  for (const DrawnFigure& figure : draws.figures) {
    json["figures"].push_back(
        {{"figure", figure.figure}, {"error", figure.error}, {"factors", figure.factors}});
  }
  return json;
}

}  // namespace

std::string_view to_text(RivalKind kind) {
  return kind == RivalKind::next ? "next" : "data_parallel";
}

void read_rivals(const JsonReader& reader, Prediction& prediction) {
  if (reader.has("reduced_gradients")) {
    prediction.reduced_gradients = reader.at("reduced_gradients").integer(bytes_range);
  }
  if (reader.has("rivals")) {
    for (const JsonReader& entry : reader.at("rivals").entries()) {
      prediction.rivals.push_back(read_rival(entry));
    }
  }
  if (reader.has("draws")) prediction.draws = read_draws(reader.at("draws"));
}

void add_rivals(const Prediction& prediction, Json& json) {
  if (prediction.reduced_gradients) json["reduced_gradients"] = *prediction.reduced_gradients;
  for (const Rival& rival : prediction.rivals) json["rivals"].push_back(to_ordered_json(rival));
  if (!prediction.draws.steps_s.empty()) json["draws"] = to_ordered_json(prediction.draws);
}

}  // namespace cnnplan
