"""Says which file may include which header: a row for each folder, and one for each library.

In patterns, one star stands for a name, two stars for a path, and braces for one of several names.
"""

import functools
import itertools
import re
from pathlib import Path

# Each row has a pattern for files and the patterns of project headers that these files may include, in addition to
# their own folder. The first row that matches a file counts.
PROJECT = [
    ("planner/base/*", []),
    ("planner/cli/*", ["planner/base/*"]),
    ("planner/json/*", ["planner/base/*"]),
    ("planner/tensor/*", ["planner/base/*"]),
    ("planner/network/rules/*", ["planner/{base,tensor}/*"]),
    ("planner/network/layers/*", ["planner/{base,tensor}/*", "planner/network/rules/*"]),
    ("planner/network/*", ["planner/{base,json,tensor}/*", "planner/network/{rules,layers}/*"]),
    ("planner/kernel/*", ["planner/{base,json,tensor,network}/*"]),
    ("planner/platform/*", ["planner/{base,json,tensor,kernel}/*"]),
    ("planner/plan/*", ["planner/{base,json,tensor,network,kernel}/*"]),
    ("planner/run/*", ["planner/{base,json,tensor,network,plan}/*"]),
    ("planner/what_if/*", ["planner/{base,kernel,platform}/*"]),
    ("planner/schedule/*", ["planner/{base,tensor,kernel,plan}/*"]),
    ("planner/schedule/blocks/*", ["planner/{tensor,network,plan}/*"]),
    ("planner/schedule/representatives/*", ["planner/{tensor,network,platform,plan}/*",
                                            "planner/schedule/blocks/*"]),
    ("planner/schedule/lower/state/*", ["planner/{base,tensor,network,kernel,platform,plan}/*",
                                        "planner/schedule/{,blocks/}*"]),
    ("planner/schedule/lower/layers/*", ["planner/{tensor,kernel}/*", "planner/schedule/{blocks,lower/state}/*"]),
    ("planner/schedule/lower/multigrid/*", ["planner/network/*", "planner/schedule/blocks/*",
                                            "planner/schedule/lower/{state,layers}/*"]),
    ("planner/schedule/lower/*", ["planner/base/*", "planner/schedule/{,representatives/}*",
                                  "planner/schedule/lower/{state,layers,multigrid}/*"]),
    ("planner/cost/*", ["planner/{tensor,kernel,platform}/*"]),
    ("planner/predict/*", ["planner/{base,tensor,kernel,platform,plan,schedule,cost}/*",
                           "planner/schedule/representatives/*"]),
    ("planner/simulate/*", ["planner/{base,tensor,kernel,platform,schedule,cost,predict}/*"]),
    ("planner/trace/*", ["planner/{base,tensor,run,schedule,predict}/*", "planner/kernel/device_text.hpp"]),
    ("planner/search/graph/*", []),
    ("planner/search/candidates/*", ["planner/{base,tensor,network,plan}/*"]),
    ("planner/search/pricing/*", ["planner/{base,tensor,network,platform,plan,cost,predict}/*",
                                  "planner/schedule/{blocks,lower,representatives}/*",
                                  "planner/schedule/rank_memory.hpp", "planner/search/{graph,candidates}/*"]),
    ("planner/search/plans/*", ["planner/schedule/rank_memory.hpp",
                                "planner/{base,tensor,network,platform,plan,cost,predict}/*",
                                "planner/search/{graph,candidates,pricing}/*"]),
    ("planner/search/explain/*", ["planner/{base,network,kernel,platform,plan,what_if,schedule,predict}/*",
                                  "planner/search/{graph,candidates,pricing,plans}/*"]),
    ("planner/search/*", ["planner/schedule/rank_memory.hpp",
                          "planner/{base,kernel,platform,plan,predict}/*",
                          "planner/search/{graph,candidates,pricing,plans,explain}/*"]),
    ("planner/import/onnx/*", ["planner/{base,tensor,network}/*"]),
    ("planner/import/folding/*", ["planner/base/*", "planner/import/onnx/*"]),
    ("planner/import/*", ["planner/{base,tensor,network}/*", "planner/network/layers/channel_norm.hpp",
                          "planner/import/{onnx,folding}/*"]),
    ("planner/report/*", ["planner/{base,json,tensor,kernel,platform,plan,run,what_if}/*"]),
    ("planner/summary/*", ["planner/{base,json,tensor,network,plan,report}/*"]),
    ("planner/page/*", ["planner/{base,json,tensor,network,plan,run,schedule/blocks,predict,report,summary}/*",
                        "planner/trace/gzip.hpp"]),
    ("planner/doctor/*", ["planner/{base,json}/*"]),
    ("planner/launch/*", ["planner/{base,tensor,platform,plan}/*", "planner/kernel/device_text.hpp"]),
    ("planner/commands/*", ["planner/schedule/{rank_memory,schedule,blocks/ownership}.hpp",
                            "planner/{base,network,plan,run,what_if,predict,simulate,trace,import,report,summary,page,"
                            "doctor,launch}/*",
                            "planner/cli/*", "planner/kernel/{device_text,profile}.hpp",
                            "planner/tensor/enumerators.hpp",
                            "planner/platform/{platform,resized_platform,same_device}.hpp",
                            "planner/json/{schema_kind,json_writer}.hpp", "planner/import/onnx/onnx_file.hpp",
                            "planner/search/{,candidates/,plans/,explain/}*"]),
    ("planner/api/cnnplan.hpp", []),
    ("planner/api/*", ["planner/{base,network,kernel,plan,cost,predict,report,summary}/*",
                       "planner/platform/{platform,resized_platform,same_device}.hpp",
                       "planner/import/network_source.hpp", "planner/search/{,candidates/}*"]),
    ("planner/main.cpp", ["planner/{base,cli,commands}/*"]),

    ("executor/backend/*", ["planner/{base,tensor,kernel}/*"]),
    ("executor/backend/reference/*", ["planner/{base,kernel}/*", "executor/backend/*"]),
    ("executor/backend/onednn/*", ["planner/{base,tensor,kernel}/*", "executor/backend/*"]),
    ("executor/backend/onednn/convolution/*", ["planner/{tensor,kernel}/*",
                                               "executor/backend/{,onednn/,onednn/direct/}*"]),
    ("executor/backend/onednn/direct/*", ["planner/{base,tensor,kernel}/*",
                                          "executor/backend/{,onednn/,onednn/packed/}*"]),
    ("executor/backend/onednn/packed/*", ["planner/kernel/*", "executor/backend/{,onednn/,onednn/convolution/}*"]),
    ("executor/backend/cudnn/*", ["planner/{base,tensor,kernel}/*", "executor/comm/watch/wait_record.hpp",
                                  "executor/backend/{,cudnn/cuda/,cudnn/kernels/}*"]),
    ("executor/backend/cudnn/cuda/*", ["planner/base/*", "executor/backend/{,cudnn/kernels/}*"]),
    ("executor/backend/cudnn/kernels/*", ["planner/{base,tensor,kernel}/*", "executor/backend/*"]),
    ("executor/backend/factory/*", ["planner/{base,tensor}/*", "executor/backend/*",
                                    "executor/backend/{reference,onednn,cudnn}/backend.hpp"]),
    ("executor/launch/*", ["planner/{base,plan,launch}/*"]),
    ("executor/comm/watch/*", ["planner/base/*"]),
    ("executor/comm/*", ["planner/{base,tensor,platform}/*", "executor/comm/watch/*",
                         "executor/launch/launch_environment.hpp",
                         "executor/backend/{box_copy,device,mps,sum_kernels,tensor_view}.hpp"]),
    ("executor/hdf5/*", ["planner/{base,tensor}/*"]),
    ("executor/data/*", ["planner/{base,tensor,network}/*", "executor/{backend,comm,comm/watch,hdf5}/*"]),
    ("executor/step/*", ["planner/{base,tensor,network,plan,schedule}/*", "executor/{backend,comm,comm/watch,data}/*"]),
    ("executor/agreement/*", ["planner/{base,network,plan,schedule}/*",
                              "executor/{backend,comm,comm/watch,hdf5,data,step}/*"]),
    ("executor/checkpoint/*", ["planner/{base,tensor,plan,run}/*", "executor/{backend,comm,comm/watch,hdf5,step}/*"]),
    ("executor/trace/*", ["planner/{base,tensor,run,schedule}/*", "executor/{backend,comm,step}/*"]),
    ("executor/training/*", ["planner/{base,tensor,network,plan,run}/*", "planner/schedule/{schedule,rank_memory}.hpp",
                             "executor/{backend,launch,comm,comm/watch,hdf5,data,step,agreement,checkpoint,trace}/*"]),
    ("executor/verify/*", ["planner/{base,tensor,kernel,plan}/*", "planner/schedule/schedule.hpp",
                           "executor/backend/{,reference/}*",
                           "executor/{comm,comm/watch,hdf5,data,step,checkpoint,training}/*"]),
    ("executor/doctor/*", ["planner/{base,tensor,doctor}/*", "executor/{backend,comm}/*",
                           "executor/hdf5/hdf5_library.hpp"]),
    ("executor/weights/*", ["planner/{base,cli,import}/*", "planner/import/onnx/onnx_file.hpp",
                            "executor/hdf5/weights_file.hpp"]),
    ("executor/*", ["planner/{base,cli,summary}/*", "planner/plan/{normalised_values,planned_layers}.hpp",
                    "planner/platform/same_device.hpp", "planner/report/compare.hpp",
                    "executor/{comm,agreement,training,verify,doctor}/*"]),

    ("profiler/*", ["planner/{base,cli,tensor,network,kernel,platform,plan,run,schedule,cost,import,report}/*",
                    "planner/search/candidates/*", "executor/{backend,comm,data,step,doctor}/*",
                    "executor/cli_{exit,comm_timeout}.hpp"]),
    ("profiler/cudnn_bench/*", ["planner/{base,cli,tensor,network,kernel,plan,run,json,schedule,import}/*",
                                "planner/search/candidates/*", "executor/backend/{,cudnn/,cudnn/cuda/,cudnn/kernels/}*"]),

    ("tests/planner/**", ["planner/**", "tests/planner/**", "tests/{relative,slow_build}.hpp"]),
    ("tests/emulation/**", ["planner/{base,tensor}/*", "executor/backend/half.hpp", "tests/emulation/*",
                            "tests/executor/backend/harness.hpp"]),
    ("tests/executor/**", ["planner/**", "executor/**", "profiler/{link_memory,repetition_timer}.hpp",
                           "tests/{executor,planner,emulation}/**", "tests/*"]),
    ("tests/profiler/**", ["planner/**", "executor/**", "profiler/**", "tests/{emulation,planner}/**", "tests/*",
                           "tests/executor/hdf5/hdf5_fixture.hpp"]),
    ("tests/consumer/*", []),
    ("tests/*", []),
]

# Each row has the headers of a library and the only files that may include them.
LIBRARIES = [
    ("mpi-ext.h", ["executor/comm/*"]),
    ("dlfcn.h", ["executor/doctor/mpi_findings.cpp"]),
    ("mpi.h", ["executor/comm/*", "executor/doctor/mpi_findings.cpp", "tests/mpi_main.cpp",
               "tests/executor/training/cudnn_check_main.cpp"]),
    ("arpa/*", ["executor/comm/watch/side_channel.cpp"]),
    ("ifaddrs.h", ["executor/comm/watch/side_channel.cpp"]),
    ("net/*", ["executor/comm/watch/side_channel.cpp"]),
    ("netinet/*", ["executor/comm/watch/side_channel.cpp"]),
    ("poll.h", ["executor/comm/watch/side_channel.cpp", "planner/base/writable_file.cpp"]),
    ("pthread.h", ["executor/comm/watch/watchdog.cpp"]),
    ("hdf5.h", ["executor/hdf5/*", "tests/executor/hdf5/*"]),
    ("boost/container/*", ["planner/cost/*.cpp"]),
    ("boost/graph/*", ["planner/search/graph/vertex_path.cpp"]),
    ("dnnl.hpp", ["executor/backend/onednn/{,direct/}*"]),
    ("cuda*.h", ["executor/backend/cudnn/**", "executor/backend/half.hpp", "tests/emulation/*",
                 "tests/executor/step/*"]),
    ("cudnn.h", ["executor/backend/cudnn/**", "tests/emulation/cudnn/*", "tests/executor/step/*",
                 "tests/profiler/cudnn_bench/*"]),
    ("nccl.h", ["executor/comm/nccl*", "tests/emulation/nccl/*"]),
    ("omp.h", ["executor/backend/onednn/**"]),
    ("onnx/*", ["planner/import/onnx/onnx_file.cpp", "tests/{planner,executor}/import/*"]),
    ("onnx/defs/*", ["tests/planner/import/operator_table_test.cpp"]),
    ("google/protobuf/**", ["planner/import/onnx/onnx_file.cpp"]),
    ("nlohmann/*", ["planner/json/json_*", "planner/*/*_json.{cpp,hpp}", "tests/planner/json/*.cpp"]),
    ("openssl/*", ["planner/base/sha256.cpp"]),
    ("zlib.h", ["planner/trace/gzip.cpp", "tests/planner/trace/trace_json_test.cpp"]),
    ("CLI/*", ["{planner,profiler,profiler/cudnn_bench,executor/weights}/main.cpp", "planner/cli/*",
               "planner/commands/*_cli.cpp", "executor/{cli.cpp,cli_exit.hpp,cli_comm_timeout.hpp}"]),
    ("Eigen/*", ["executor/verify/matrix_convolution.cpp", "profiler/links_fit.cpp"]),
    ("doctest/*", ["tests/**"]),
    ("cnnplan/cnnplan.hpp", ["tests/consumer/*"]),
]
# These headers belong to the system (POSIX, Linux) or are the intrinsics of the compiler. Every file may include them.
SYSTEM = ["sys/*.h", "unistd.h", "fcntl.h", "sched.h", "*mmintrin.h"]


def alternatives(pattern):
    """Returns the patterns without braces that a pattern stands for."""
    parts = [part.split(",") for part in re.split(r"[{}]", pattern)]
    parts[::2] = [[",".join(part)] for part in parts[::2]]
    return ["".join(choice) for choice in itertools.product(*parts)]


def rules_of(rows):
    """Returns the rows with a list of patterns without braces each."""
    return [(own, [single for other in others for single in alternatives(other)]) for own, others in rows]


PROJECT, LIBRARIES = rules_of(PROJECT), rules_of(LIBRARIES)


@functools.cache
def expression(pattern):
    """Returns a regular expression for a pattern, in which one star stands for a name and two for a path."""
    paths = ("[^/]*".join(map(re.escape, path.split("*"))) for path in pattern.split("**"))
    return re.compile(".*".join(paths))


def first_match(name, patterns):
    """Returns the first of the patterns that matches, or None."""
    return next((pattern for pattern in patterns if expression(pattern).fullmatch(name)), None)


@functools.cache
def row_of(file):
    """Returns the row of `file` in PROJECT, or None."""
    return next((row for row in PROJECT if first_match(file, [row[0]])), None)


def project_rule(file, header):
    """Returns (pattern of the file, pattern of the header) for the rule that lets `file` include `header`, or None.

    The second pattern is None where both are in the same folder.
    """
    row = row_of(file)
    if row is None:
        return None
    if Path(header).parent == Path(file).parent:
        return row[0], None
    pattern = first_match(header, row[1])
    return pattern and (row[0], pattern)


def library_row(header):
    """Returns the row of a library's header in LIBRARIES, or None."""
    return next((row for row in LIBRARIES if first_match(header, [row[0]])), None)


def library_rule(file, header):
    """Returns (pattern of the header, pattern of the file) for the rule that allows the include, or None."""
    row = library_row(header)
    pattern = first_match(file, row[1]) if row else first_match(header, SYSTEM)
    return pattern and ((row[0], pattern) if row else (pattern, None))


def all_rules():
    """Returns every rule as project_rule and library_rule do. A row of PROJECT is itself a rule: its files exist."""
    rows = [*PROJECT, *LIBRARIES]
    rules = [(own, None) for own, _ in PROJECT]
    rules += [(own, other) for own, others in rows for other in others]
    return rules + [(header, None) for header in SYSTEM]
