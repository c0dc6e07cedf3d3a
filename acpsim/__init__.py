"""acpsim: a simulator, fuzzer and checker for Agent Client Protocol session lifecycles."""

__version__ = "0.1.0"
