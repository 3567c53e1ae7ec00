"""Builds cnnplan with Spack. packaging/README.md says how to add it to a repository of Spack."""

from spack.package import *


class Cnnplan(CMakePackage):
    """Plans the parallel training of convolutional networks, predicts the step, and runs the plan."""

    license("Apache-2.0")

    # The sources are a clone of the repository, which `spack dev-build` builds where it is.

    version("0.2.0")

    variant("executor", default=True, description="Build cnnexec and cnnplan-profile, which need MPI")
    variant("onednn", default=True, when="+executor", description="Run kernels of oneDNN on CPUs")
    variant("onnx", default=True, description="Read ONNX models")
    variant("report", default=True, description="Bundle the page of cnnplan report with npm")

    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("node-js@18:", type="build", when="+report")
    depends_on("npm", type="build", when="+report")

    depends_on("boost@1.74:+container+graph")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.11:")
    depends_on("openssl@3:")
    depends_on("zlib-api")

    depends_on("onnx@1.12:", when="+onnx")
    depends_on("protobuf@3.12:", when="+onnx")

    depends_on("mpi", when="+executor")
    depends_on("hdf5@1.10:+mpi", when="+executor")
    depends_on("eigen@3.4:", when="+executor")
    depends_on("onednn@2.6:2 cpu_runtime=omp gpu_runtime=none", when="+onednn")

    generator("ninja")
    conflicts("%gcc@:11", msg="cnnplan is written in C++20 for GCC 12 or newer")

    def cmake_args(self):
        """Leaves out tests, GPUs, and the libraries of variants that are off."""
        args = [
            self.define("CNNPLAN_TESTS", False),
            self.define("CNNPLAN_CUDA", "OFF"),
            self.define("CNNPLAN_PRECOMPILED", True),
            self.define_from_variant("CNNPLAN_PAGE", "report"),
        ]
        packages = {"~executor": "MPI", "~onnx": "Protobuf"}
        args += [self.define(f"CMAKE_DISABLE_FIND_PACKAGE_{name}", True)
                 for variant, name in packages.items() if self.spec.satisfies(variant)]
        if self.spec.satisfies("~onednn"):
            args.append(self.define("DNNL_LIBRARY", ""))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_plan(self):
        """Solves a network that ships."""
        cnnplan = Executable(self.prefix.bin.cnnplan)
        with working_dir(self.stage.path):
            cnnplan("solve", "lenet", "--ranks", "2", "--batch", "8")
