"""Analyses of ops: results that are cached for later passes until a pass invalidates them."""

from passel.analysis.manager import AnalysisManager, analysis_name
from passel.analysis.preserved import EVERYTHING, AllAnalyses, PreservedAnalyses, in_common

__all__ = [
    "EVERYTHING",
    "AllAnalyses",
    "AnalysisManager",
    "PreservedAnalyses",
    "analysis_name",
    "in_common",
]
