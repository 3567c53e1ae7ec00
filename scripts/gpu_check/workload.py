"""Defines a workload: a network with batch and precision, as the stages and the programs name it."""

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Workload:
    """An empty precision or input is not given to the programs: builds for the CPU know fp32 alone."""

    network: str
    batch: int
    precision: str = ""
    input: str = ""
    least_images_per_s: Optional[float] = None
    expected_s: float = 30

    @property
    def name(self):
        return f"{self.network}-{self.precision or 'fp32'}-b{self.batch}"

    def where(self, bundle, ranks=1):
        """Returns the options that profile and solve share."""
        words = [bundle.network(self.network), "--ranks", ranks, "--batch", self.batch]
        words += ["--precision", self.precision] if self.precision else []
        return words + (["--input", self.input] if self.input else [])
