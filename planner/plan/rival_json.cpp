// Reads and writes rivals and draws, field by field.
#include "planner/plan/rival_json.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "planner/network/enumerators.hpp"
#include "planner/plan/multigrid_json.hpp"
#include "planner/plan/reductions_json.hpp"
#include "planner/tensor/enumerators.hpp"

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

// The entries list layers in the network's order, from the first layer on.
LayerIndex read_first(const JsonReader& reader,
                      const Network& network,
                      const std::vector<RivalLayers>& before) {
  const std::optional<LayerIndex> layer = network.index_of(reader.name());
  if (!layer) reader.refuse("a layer of the network");
  if (before.empty() && *layer != LayerIndex(0)) reader.refuse("the first layer of the network");
  if (!before.empty() && *layer <= before.back().first) {
    reader.refuse("a layer after the one of the entry before");
  }
  return *layer;
}

RivalLayers read_layers(const JsonReader& reader,
                        const Network& network,
                        const std::vector<RivalLayers>& before) {
  reader.allow_keys({"from", "mesh", "channel_algorithm", "stage", "recompute", "halo", "gather"});
  const JsonReader mesh = reader.at("mesh");
  RivalLayers layers{.first = read_first(reader.at("from"), network, before),
                     .split = {.mesh = mesh.locate([&] { return parse_mesh(mesh.text()); })}};
  reader.read_enumerator("channel_algorithm", layers.split.channel_algorithm);
  reader.read("stage", layers.stage, {0, ranks_range.maximum - 1});
  reader.read("recompute", layers.recompute);
  reader.read_enumerator("halo", layers.halo);
  reader.read_enumerator("gather", layers.gather);
  return layers;
}

RivalSettings read_settings(const JsonReader& reader, const Network& network) {
  reader.allow_keys({"layers",
                     "multigrid",
                     "gradient_allreduce",
                     "small_gradient_allreduces",
                     "statistics_allreduce",
                     "ranks_per_node"});
  RivalSettings settings;
  for (const JsonReader& entry : reader.at("layers").entries({1, network.layer_count()})) {
    settings.layers.push_back(read_layers(entry, network, settings.layers));
  }
  settings.multigrid = read_multigrid(reader, network);
  reader.read_enumerator("gradient_allreduce", settings.gradient_allreduce);
  settings.small_gradient_allreduces = read_small_allreduces(reader);
  reader.read_enumerator("statistics_allreduce", settings.statistics_allreduce);
  reader.read("ranks_per_node", settings.ranks_per_node, ranks_range);
  return settings;
}

Rival read_rival(const JsonReader& reader, const Network& network) {
  reader.allow_keys({"kind",
                     "plan",
                     "ranks",
                     "step_s",
                     "memory_bytes",
                     "fits",
                     "reduced_gradients",
                     "parts",
                     "draws_s",
                     "settings"});
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
  if (reader.has("settings")) rival.settings = read_settings(reader.at("settings"), network);
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

Json to_ordered_json(const RivalLayers& layers, const Network& network) {
  Json json{{"from", network.layer(layers.first).name}, {"mesh", to_text(layers.split.mesh)}};
  if (layers.split.channel_algorithm != Split{}.channel_algorithm) {
    json["channel_algorithm"] = to_text(layers.split.channel_algorithm);
  }
  if (layers.stage != 0) json["stage"] = layers.stage;
  if (layers.recompute) json["recompute"] = true;
  if (layers.halo != RivalLayers{}.halo) json["halo"] = to_text(layers.halo);
  if (layers.gather != RivalLayers{}.gather) json["gather"] = to_text(layers.gather);
  return json;
}

Json to_ordered_json(const RivalSettings& settings, const Network& network) {
  Json json{{"layers", Json::array()}};
  for (const RivalLayers& layers : settings.layers) {
    json["layers"].push_back(to_ordered_json(layers, network));
  }
  if (!settings.multigrid.empty()) {
    json["multigrid"] = to_ordered_json(settings.multigrid, network);
  }
  json["gradient_allreduce"] = to_text(settings.gradient_allreduce);
  add_small_allreduces(settings.small_gradient_allreduces, json);
  json["statistics_allreduce"] = to_text(settings.statistics_allreduce);
  json["ranks_per_node"] = settings.ranks_per_node;
  return json;
}

Json to_ordered_json(const Rival& rival, const Network& network) {
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
  if (rival.settings) json["settings"] = to_ordered_json(*rival.settings, network);
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

void read_rivals(const JsonReader& reader, const Network& network, Prediction& prediction) {
  if (reader.has("reduced_gradients")) {
    prediction.reduced_gradients = reader.at("reduced_gradients").integer(bytes_range);
  }
  if (reader.has("rivals")) {
    for (const JsonReader& entry : reader.at("rivals").entries()) {
      prediction.rivals.push_back(read_rival(entry, network));
    }
  }
  if (reader.has("draws")) prediction.draws = read_draws(reader.at("draws"));
}

void add_rivals(const Prediction& prediction, const Network& network, Json& json) {
  if (prediction.reduced_gradients) json["reduced_gradients"] = *prediction.reduced_gradients;
  for (const Rival& rival : prediction.rivals) {
    json["rivals"].push_back(to_ordered_json(rival, network));
  }
  if (!prediction.draws.steps_s.empty()) json["draws"] = to_ordered_json(prediction.draws);
}

}  // namespace cnnplan
