"""Building one pipeline from the contributions of independent packages.

A `PipelineBuilder` can insert passes before or after other passes, pass types, bundles and stages.
`PipelineBuilder.build` returns a plain pass manager, which does not depend on the builder.
"""

from passel.builder.constraints import (
    Constraint,
    Rule,
    after_all,
    after_any,
    before_first,
    followed_by,
    preceded_by,
)
from passel.builder.declarations import DeclarationTable, default_declarations
from passel.builder.extensions import Extension, installed_extensions
from passel.builder.finishing import Remark
from passel.builder.lint import Finding, lint
from passel.builder.pipeline_builder import PipelineBuilder
from passel.builder.steps import Bundle, Handle, Stage, Step
from passel.passes.pass_type import (
    BUFFERIZATION,
    CLEANUP,
    CONVERSION,
    EARLY_OPTIMIZATION,
    HARDWARE_OPTIMIZATION,
    INGRESS,
    LATE_OPTIMIZATION,
    LOWERING,
    NORMALIZATION,
    UNKNOWN,
    PassType,
)

__all__ = [
    "BUFFERIZATION",
    "CLEANUP",
    "CONVERSION",
    "EARLY_OPTIMIZATION",
    "HARDWARE_OPTIMIZATION",
    "INGRESS",
    "LATE_OPTIMIZATION",
    "LOWERING",
    "NORMALIZATION",
    "UNKNOWN",
    "Bundle",
    "Constraint",
    "DeclarationTable",
    "Extension",
    "Finding",
    "Handle",
    "PassType",
    "PipelineBuilder",
    "Remark",
    "Rule",
    "Stage",
    "Step",
    "after_all",
    "after_any",
    "before_first",
    "default_declarations",
    "followed_by",
    "installed_extensions",
    "lint",
    "preceded_by",
]
