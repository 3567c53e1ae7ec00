"""Lists the failures that gpu-check-failures_test injects, and divides them into pairs that fail in one run."""

KINDS = ("hang", "garbage", "error", "kill")
LENET, MESH = "lenet-fp32-b8", "mesh-1k-fp32-b1"
STAGES = ("environment", "smoke", "peer-start", LENET, f"peer-{LENET}", MESH, "roofline", "cudnn_bench",
          "kernels", "ranks", "sanitizer", "links", "concurrency", "profile-ranks")
RUN_FIGURES = ("throughput", "peak memory")
# A row names the stage, the commands that fail (a pattern), and the figures that the stage has before. Then come the
# stages that need a file of the failed program for some of their figures. Their other figures stay.
INJECTIONS = (
    ("environment", "*--version*", (), ()),
    ("environment", " ldd *", (), ()),
    ("smoke", "*depthwise*", ("cudnn_check, failed test cases",), ()),
    ("smoke", "*--list-test-cases*", (), ()),
    ("peer-start", "", (), ()),
    (LENET, "*--links*", RUN_FIGURES, ()),
    (LENET, "*cnnplan profile */lenet*", RUN_FIGURES, ("roofline",)),
    (LENET, "*cnnplan solve *--profile*", RUN_FIGURES, ()),
    (LENET, "*cnnexec --strategy*", (), ()),
    (LENET, "*cnnplan compare*", (*RUN_FIGURES, "step, error of the prediction"), ()),
    (f"peer-{LENET}", "", ("cnnexec, throughput", "eager, throughput"), ()),
    (f"peer-{LENET}", "*cnnexec*", ("eager, throughput", "compiled, throughput"), ()),
    (MESH, "*cnnplan compare*", (*RUN_FIGURES, "step, error of the prediction"), ()),
    ("roofline", "", ("convolution forward 1x3x3 2x1x8x8 -> 2x1x8x8",), ()),
    ("cudnn_bench", "*", ("measured copy", "measured product"), ()),
    ("kernels", "*cudnn_check --test-case=*depthwise*", ("cudnn_check, failed test cases",), ()),
    ("ranks", "*-n 2 *", ("equivalence_cudnn_check, 1 rank, failed test cases",), ()),
    ("sanitizer", "*depthwise*", ("memcheck, test cases with findings",), ()),
    ("links", "*-n 2 *", ("copy between buffers",), ()),
    ("concurrency", "*cnnexec*concurrency-8*", ("step, 1 at the same time",), ()),
    ("profile-ranks", "*--ranks 2*", ("profile for up to 1 ranks",), ()),
)


def independent(first, second):
    """Says whether both may fail in one run: neither needs a file of the other, and only one is PyTorch's."""
    peers = {"peer-start", f"peer-{LENET}"}
    return (first[0] != second[0] and first[0] not in second[3] and second[0] not in first[3]
            and not {first[0], second[0]} <= peers)


def new_pairs(met):
    """Divides all injections into pairs that have not met before. A row without a partner fails alone."""
    left, pairs = list(INJECTIONS), []
    while left:
        first = left.pop(0)
        partner = next((row for row in reversed(left) if independent(first, row) and (first, row) not in met), None)
        if partner:
            left.remove(partner)
            met.add((first, partner))
        pairs.append((first, partner) if partner else (first,))
    return pairs
