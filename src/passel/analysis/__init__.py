"""Analyses: facts about an op, cached and shared by passes until the facts are invalidated."""

from passel.analysis.manager import AnalysisClass, AnalysisManager, analysis_name
from passel.analysis.preserved import EVERYTHING, AllAnalyses, PreservedAnalyses, in_common

__all__ = [
    "EVERYTHING",
    "AllAnalyses",
    "AnalysisClass",
    "AnalysisManager",
    "PreservedAnalyses",
    "analysis_name",
    "in_common",
]
