"""Finds CUDA errors after which a process can do nothing more on the device, and the engine that ran then.

Before a cuDNN engine first runs, the programs name it on stderr. The error names it, too, if it was noticed
in that first run. Otherwise the last one named before is the suspect; another kernel can be at fault, since
errors are noticed late. Check programs print their errors on stdout."""

import re

STICKY = re.compile(
    r"misaligned address|illegal (?:memory access|address|instruction)|unspecified launch failure|"
    r"launch failure|launch timed out|device-side assert|hardware stack error|invalid program counter|"
    r"uncorrectable (?:ECC|NVLink) error|operation not supported on global/shared address space|"
    r"cudaError(?:MisalignedAddress|Illegal(?:Address|Instruction)|Launch(?:Failure|Timeout)|Assert|"
    r"HardwareStackError|InvalidPc|InvalidAddressSpace|ECCUncorrectable)", re.IGNORECASE)
FIRST_RUN = re.compile(r"cudnn: first run of (.+?) for (.+)")
IN_FIRST_RUN = re.compile(r"[^\n]*, in the first run of (.+?) for (.+?); this process")


def described(error, engine, kernel):
    return {"error": error.group(0), "engine": engine, "kernel": kernel.strip()}


def found_in_outputs(stdout, stderr):
    """Describes the first sticky error; None if there is none."""
    for text in (stderr, stdout):
        error = STICKY.search(text)
        if error is None:
            continue
        blamed = IN_FIRST_RUN.match(text, error.end())
        if blamed:
            return described(error, *blamed.groups())
        named = FIRST_RUN.findall(stderr[:error.start()] if text is stderr else stderr)
        return described(error, *(named[-1] if named else ("", "")))
    return None


def found_in(results):
    """Describes the first sticky error in the outputs of programs that failed; None if there is none."""
    for result in results:
        found = found_in_outputs(result.stdout, result.stderr) if result.code != 0 else None
        if found:
            return dict(found, program=result.name, outputs=[result.out.name, result.err.name])
    return None


def sentence(found):
    if not found["engine"]:
        return f"{found['error']}, and no engine was named before"
    return f"{found['error']} after the first run of {found['engine']} for {found['kernel']}"
