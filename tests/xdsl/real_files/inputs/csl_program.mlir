// A program for a wafer-scale machine: descriptors of memory, built up step by step.
"csl.module"() <{kind = #csl<module_kind program>, sym_name = "program"}> ({
  csl.func @prepare() {
    %length = arith.constant 512 : i16
    %buffer = "csl.zeros"() : () -> memref<512xf32>
    %whole = "csl.get_mem_dsd"(%buffer, %length) : (memref<512xf32>, i16) -> !csl<dsd mem1d_dsd>
    %stride = arith.constant 3 : i8
    %strided = "csl.set_dsd_stride"(%whole, %stride) : (!csl<dsd mem1d_dsd>, i8) -> !csl<dsd mem1d_dsd>
    %one = arith.constant 1 : i16
    %uno = arith.constant 1 : i16
    %moved = "csl.increment_dsd_offset"(%strided, %uno) <{elem_type = f32}> : (!csl<dsd mem1d_dsd>, i16) -> !csl<dsd mem1d_dsd>
    %shorter = arith.constant 510 : i16
    %cut = "csl.set_dsd_length"(%moved, %shorter) : (!csl<dsd mem1d_dsd>, i16) -> !csl<dsd mem1d_dsd>
    %value = arith.constant 2.0 : f32
    "csl.fadds"(%cut, %cut, %value) : (!csl<dsd mem1d_dsd>, !csl<dsd mem1d_dsd>, f32) -> ()
    csl.return
  }

  csl.func @scale(%x : f32) -> f32 {
    %two = arith.constant 2.0 : f32
    %two_again = arith.constant 2.0 : f32
    %a = arith.mulf %x, %two : f32
    %b = arith.mulf %x, %two_again : f32
    %s = arith.addf %a, %b : f32
    csl.return %s : f32
  }

  csl.task @start() attributes {kind = #csl<task_kind local>, id = 0 : ui5} {
    %x = arith.constant 1.5 : f32
    %unused = arith.addf %x, %x : f32
    "csl.call"() <{callee = @prepare}> : () -> ()
    csl.return
  }
}) : () -> ()
