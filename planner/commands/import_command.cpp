// Converts a model into a network file, and prints a table of its layers.
#include <iostream>
#include <map>
#include <variant>

#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/output_file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/base/writable_file.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/helper_program.hpp"
#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx/onnx_file.hpp"
#include "planner/network/channel_split.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

constexpr const char* weights_program = "cnnplan-weights";

std::vector<std::string> weights_arguments(const ImportCommandOptions& options) {
  std::vector<std::string> arguments{"--loss=" + options.loss};
  if (!options.input.empty()) arguments.push_back("--input=" + options.input);
  if (!options.output_name.empty()) arguments.push_back("--main-output=" + options.output_name);
  for (const std::string& output : options.auxiliary) arguments.push_back("--auxiliary=" + output);
  arguments.insert(arguments.end(), {"--", options.model_file, options.weights_file});
  return arguments;
}

// Returns the dims of one sample: "3x224x224".
std::string sample_text(const Network& network) {
  const Shape shape = network.output_shape(LayerIndex(0), 1);
  std::string text = std::to_string(shape[Dim::c]);
  for (const Dim dim : spatial_dims) {
    if (dim != Dim::d || shape[dim] > 1) text += 'x' + std::to_string(shape[dim]);
  }
  return text;
}

// Returns the multiply-adds of a convolution or fully connected layer, for one sample forward.
std::int64_t multiply_adds(const Network& network, LayerIndex index) {
  const LayerParameters& parameters = network.layer(index).parameters;
  if (!mixes_channels(parameters)) return 0;
  const Shape output = network.output_shape(index, 1);
  const std::int64_t biases = has_bias(parameters) ? output[Dim::c] : 0;
  // Every weight is multiplied at each position of the output of a convolution, or of the input of
  // a transposed one.
  const Shape input = network.output_shape(network.inputs_of(index)[0], 1);
  const Shape& multiplied = is_transposed(parameters) ? input : output;
  const std::int64_t positions = volume(multiplied) / multiplied[Dim::c];
  return checked_multiply(network.parameter_count(index) - biases, positions);
}

struct Count {
  std::int64_t layers = 0;
  std::int64_t parameters = 0;
  std::int64_t multiply_adds = 0;
};

std::string summary(const Network& network) {
  std::map<std::string, Count> kinds;
  Count all{.layers = network.layer_count(), .parameters = network.parameter_count()};
  for (const LayerIndex i : network.layers().indices()) {
    Count& count = kinds[std::string(kind_name(network.layer(i).parameters))];
    ++count.layers;
    count.parameters += network.parameter_count(i);
    count.multiply_adds = checked_add(count.multiply_adds, multiply_adds(network, i));
  }
  for (const auto& [kind, count] : kinds) {
    all.multiply_adds = checked_add(all.multiply_adds, count.multiply_adds);
  }
  Table table({{.title = "kind", .align = Align::left},
               {.title = "layers"},
               {.title = "parameters"},
               {.title = "multiply-adds"}});
  const auto add = [&](const std::string& kind, const Count& count) {
    table.add_row({kind,
                   std::to_string(count.layers),
                   std::to_string(count.parameters),
                   std::to_string(count.multiply_adds)});
  };
  for (const auto& [kind, count] : kinds) add(kind, count);
  table.add_rule();
  add("all", all);
  return network.name() + ": samples of " + sample_text(network) + "\n\n" + table.to_text();
}

// Until version 0.1, --output named a value of the model, such as "logits".
void require_file_name(const std::string& output) {
  if (output.find_first_of("./-") != std::string::npos) return;
  throw Error(ExitCode::usage,
              "--output " + output + ": names the network file, such as " + output +
                  ".json; a value of the model is named by --main-output " + output);
}

}  // namespace

ExitCode import_command(const ImportCommandOptions& options) {
  require_other_file(options.network_file, options.model_file);
  if (!options.weights_file.empty()) {
    require_other_file(options.weights_file, options.model_file);
    require_other_file(options.weights_file, options.network_file);
    require_streams_once({options.model_file, options.model_file});  // a helper reads it, too
  }
  require_file_name(options.network_file);
  OutputFile output(options.network_file);
  if (!options.weights_file.empty()) require_replaceable_file(options.weights_file);
  const ImportOptions model_options{.input = options.input,
                                    .output = options.output_name,
                                    .loss = options.loss,
                                    .auxiliary = options.auxiliary,
                                    .planning = options.planning};
  const ImportedModel model =
      import_onnx(parse_onnx(read_onnx_file(options.model_file), options.model_file),
                  options.model_file,
                  model_options);
  for (const std::string& note : model.notes) print_note(options.model_file + ": " + note);
  if (!options.weights_file.empty()) {
    helper_path(weights_program);
    // Parameters that cannot be written are refused before any file is.
    for (const ImportedTensor& tensor : model.tensors) values_of(tensor, options.model_file);
  }
  output.write(to_json(model.network));
  if (!is_standard_output(options.network_file)) {
    std::cout << summary(model.network);
    print_note("wrote " + options.network_file + "; plan it with:" + std::string(command_line) +
               "cnnplan solve " + options.network_file);
  }
  if (!options.weights_file.empty()) run_helper(weights_program, weights_arguments(options));
  return ExitCode::ok;
}

}  // namespace cnnplan
