"""Analyses: facts about an op that passes compute once, keep while true, and share."""

from passel.analysis.manager import AnalysisClass, AnalysisManager, analysis_name
from passel.analysis.preserved import AllAnalyses, PreservedAnalyses

__all__ = [
    "AllAnalyses",
    "AnalysisClass",
    "AnalysisManager",
    "PreservedAnalyses",
    "analysis_name",
]
