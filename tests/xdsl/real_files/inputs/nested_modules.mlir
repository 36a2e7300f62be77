// Modules inside modules, each with symbols of its own.
module @outer {
  func.func @entry(%x: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %y = arith.addi %x, %zero : i32
    %r = func.call @helper(%y) : (i32) -> i32
    return %r : i32
  }

  func.func private @helper(%x: i32) -> i32 {
    %one = arith.constant 1 : i32
    %uno = arith.constant 1 : i32
    %a = arith.addi %x, %one : i32
    %b = arith.addi %a, %uno : i32
    return %b : i32
  }

  func.func private @unused_helper(%x: i32) -> i32 {
    return %x : i32
  }

  module @device {
    func.func @kernel(%x: f32) -> f32 {
      %a = arith.mulf %x, %x : f32
      %b = arith.mulf %x, %x : f32
      %c = arith.addf %a, %b : f32
      return %c : f32
    }
    func.func private @device_helper(%x: f32) -> f32 {
      return %x : f32
    }
    func.func nested @hook(%x: f32) -> f32 {
      return %x : f32
    }
    module @deepest {
      func.func private @alone() {
        return
      }
      func.func @seen() {
        func.call @not_alone() : () -> ()
        return
      }
      func.func private @not_alone() {
        return
      }
    }
  }

  module {
    func.func private @in_a_nameless_module() {
      return
    }
    func.func @public_in_a_nameless_module() {
      return
    }
  }
}
