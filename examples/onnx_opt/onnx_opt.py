"""`onnx-opt`: passes on ONNX models from the command line."""

from onnx_adapter import OnnxAdapter

from passel.tool import opt_main


def main() -> int:
    """Run the tool."""
    return opt_main(name="onnx-opt", version="0.1", adapter=OnnxAdapter())
