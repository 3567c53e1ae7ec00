// Declares the options and the help of cnnplan import.
#include "planner/commands/import_cli.hpp"

#include <string>

#include <CLI/CLI.hpp>

#include "planner/cli/help_text.hpp"

namespace cnnplan {
namespace {

std::string help() {
  return examples_text({
             {"cnnplan import resnet50.onnx", "writes network.json"},
             {"cnnplan import fcn.onnx --input 3x512x512", "sizes that the model leaves open"},
             {"cnnplan import googlenet.onnx --main-output logits", "one of several outputs"},
             {"cnnplan import googlenet.onnx --auxiliary aux1=0.3 --auxiliary aux2=0.3",
              "heads that only training has"},
             {"cnnplan import resnet50.onnx --weights resnet50.h5",
              "also its parameters, for cnnexec --weights"},
             {"cnnplan import efficientnet.onnx --planning", "operators that cnnexec cannot run"},
         }) +
         R"(FROM PYTORCH
  import torch, torchvision
  torch.onnx.export(torchvision.models.resnet50(), torch.zeros(1, 3, 224, 224),
      "resnet50.onnx", training=torch.onnx.TrainingMode.TRAINING,
      do_constant_folding=False)

  Other settings fold batch norms into convolutions.

)" +
         section_text(
             "MODELS",
             "solve, profile and check accept models wherever they accept network files. All "
             "nodes that no layer expresses are listed at once. Layers keep the names of the "
             "model's source, where the file has them.");
}

void add_files(CLI::App& import, ImportCommandOptions& options) {
  import.option_defaults()->group("Files");
  import.add_option("-o,--output", options.network_file, "Network file")
      ->type_name("FILE")
      ->capture_default_str();
  import
      .add_option("--weights",
                  options.weights_file,
                  "Also write the model's parameters to this HDF5 file, for cnnexec --weights")
      ->type_name("FILE");
}

void add_model_options(CLI::App& import, ImportCommandOptions& options) {
  import.option_defaults()->group("Model");
  import
      .add_option("-i,--input",
                  options.input,
                  "Dims of the input, e.g. 1x3x512x512, 3x512x512 or 512x512; default: the model's")
      ->type_name("DIMS");
  import
      .add_option("--main-output",
                  options.output_name,
                  "Value of the model from which the loss is computed; default: the model's first "
                  "output")
      ->type_name("VALUE");
  import
      .add_option("--loss",
                  options.loss,
                  "cross_entropy (with softmax, per image or per pixel) or mean_squared_error")
      ->type_name("NAME")
      ->capture_default_str();
  import
      .add_option("--auxiliary",
                  options.auxiliary,
                  "Another output with a loss of the same kind; may be repeated. Training adds the "
                  "weighted loss; tests and inference take the main output alone")
      ->type_name("VALUE=WEIGHT")
      ->allow_extra_args(false);
  import
      .add_flag(
          "--planning",
          options.planning,
          "Take element-wise operators without a kernel as memory-bound layers. solve, explain "
          "and simulate accept the network; cnnexec and profile refuse it")
      ->excludes("--weights");
}

}  // namespace

void add_import(CLI::App& app, ImportCommandOptions& options, const std::string& exit_codes) {
  CLI::App* import = app.add_subcommand("import", "Convert an ONNX model into a network file");
  import->group("Commands");
  import->add_option("model", options.model_file, "ONNX file")->required();
  add_files(*import, options);
  add_model_options(*import, options);
  import->footer(help() + exit_codes);
}

}  // namespace cnnplan
