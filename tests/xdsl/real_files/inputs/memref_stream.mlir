// Streams over buffers, as the Snitch backend starts from.
func.func @multiply(%x: memref<128xf64>, %y: memref<128xf64>, %z: memref<128xf64>) {
  memref_stream.streaming_region {
    patterns = [
      #memref_stream.stride_pattern<ub = [128], index_map = (d0) -> (d0)>,
      #memref_stream.stride_pattern<ub = [128], index_map = (d0) -> (d0)>,
      #memref_stream.stride_pattern<ub = [128], index_map = (d0) -> (d0)>
    ]
  } ins(%x, %y : memref<128xf64>, memref<128xf64>) outs(%z : memref<128xf64>) {
  ^bb0(%a: !memref_stream.readable<f64>, %b: !memref_stream.readable<f64>, %c: !memref_stream.writable<f64>):
    %lb = arith.constant 0 : index
    %lb_again = arith.constant 0 : index
    %ub = arith.constant 128 : index
    %step = arith.constant 1 : index
    scf.for %i = %lb_again to %ub step %step {
      %u = memref_stream.read from %a : f64
      %v = memref_stream.read from %b : f64
      %p = arith.mulf %u, %v : f64
      %p_again = arith.mulf %u, %v : f64
      %unused = arith.addf %p, %p_again : f64
      memref_stream.write %p_again to %c : f64
    }
  }
  return
}
