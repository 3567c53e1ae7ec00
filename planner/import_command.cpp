// From a model to a network file, and a table of what is in it.
#include <iostream>
#include <map>

#include "planner/commands.hpp"
#include "planner/companion.hpp"
#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx_file.hpp"
#include "planner/model/file.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

constexpr const char* weights_program = "cnnplan-weights";

std::vector<std::string> weights_arguments(const ImportCommandOptions& options) {
  std::vector<std::string> arguments{"--loss=" + options.loss};
  if (!options.input.empty()) arguments.push_back("--input=" + options.input);
  if (!options.output_name.empty()) arguments.push_back("--output=" + options.output_name);
  arguments.insert(arguments.end(), {"--", options.model_file, options.weights_file});
  return arguments;
}

// "3x224x224", of one sample.
std::string sample_text(const Network& network) {
  const Shape shape = network.output_shape(0, 1);
  std::string text = std::to_string(shape[Dim::c]);
  for (const Dim dim : spatial_dims) {
    if (dim != Dim::d || shape[dim] > 1) text += 'x' + std::to_string(shape[dim]);
  }
  return text;
}

std::string summary(const Network& network) {
  struct Count {
    std::int64_t layers = 0;
    std::int64_t parameters = 0;
  };
  std::map<std::string, Count> kinds;
  for (LayerIndex i = 0; i < network.layer_count(); ++i) {
    Count& count = kinds[std::string(kind_name(network.layer(i).parameters))];
    ++count.layers;
    count.parameters += network.parameter_count(i);
  }
  Table table(
      {{.title = "kind", .align = Align::left}, {.title = "layers"}, {.title = "parameters"}});
  const auto add = [&](const std::string& kind, const Count& count) {
    table.add_row({kind, std::to_string(count.layers), std::to_string(count.parameters)});
  };
  for (const auto& [kind, count] : kinds) add(kind, count);
  table.add_rule();
  add("all", {network.layer_count(), network.parameter_count()});
  return network.name() + ": samples of " + sample_text(network) + "\n\n" + table.to_text();
}

}  // namespace

ExitCode import_command(const ImportCommandOptions& options) {
  const ImportOptions model_options{
      .input = options.input, .output = options.output_name, .loss = options.loss};
  const ImportedModel model =
      import_onnx(parse_onnx(read_onnx_file(options.model_file), options.model_file),
                  options.model_file,
                  model_options);
  for (const std::string& note : model.notes)
    std::cerr << options.model_file << ": " << note << '\n';
  if (!options.weights_file.empty()) companion_path(weights_program);
  write_file(options.network_file, to_json(model.network));
  std::cout << summary(model.network);
  std::cerr << "wrote " << options.network_file << "; plan it with: cnnplan solve "
            << options.network_file << '\n';
  if (!options.weights_file.empty()) run_companion(weights_program, weights_arguments(options));
  return ExitCode::ok;
}

}  // namespace cnnplan
