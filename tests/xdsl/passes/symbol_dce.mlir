// CASE: private functions without uses go
func.func private @dead() {
  return
}
func.func @live() {
  return
}

// CASE: declarations go like definitions
func.func private @declared(i32) -> i32
func.func private @used(i32) -> i32
func.func @main(%x: i32) -> i32 {
  %y = func.call @used(%x) : (i32) -> i32
  return %y : i32
}

// CASE: chains of private functions die together
func.func private @a() {
  func.call @b() : () -> ()
  return
}
func.func private @b() {
  func.call @c() : () -> ()
  return
}
func.func private @c() {
  return
}

// CASE: a cycle without a use from outside dies
func.func private @ping() {
  func.call @pong() : () -> ()
  return
}
func.func private @pong() {
  func.call @ping() : () -> ()
  return
}
func.func private @self() {
  func.call @self() : () -> ()
  return
}

// CASE: a cycle with a use from outside lives
func.func private @ping() {
  func.call @pong() : () -> ()
  return
}
func.func private @pong() {
  func.call @ping() : () -> ()
  return
}
func.func @main() {
  func.call @pong() : () -> ()
  return
}

// CASE: nested visibility at the top is as good as private
func.func nested @seen_by_nobody() {
  return
}
func.func nested @used() {
  return
}
func.func @main() {
  func.call @used() : () -> ()
  return
}

// CASE: a module with a public name keeps what is nested visible
builtin.module {
  builtin.module @public {
    func.func nested @nested() {
      return
    }
    func.func private @private() {
      return
    }
    func.func @public() {
      return
    }
  }
}

// CASE: a private module that is used is kept, and its nested symbols are hidden
builtin.module {
  builtin.module @hidden attributes {sym_visibility = "private"} {
    func.func nested @nested() {
      return
    }
    func.func nested @nested_used() {
      return
    }
    func.func @public() {
      return
    }
  }
  func.func @main() attributes {demo.ref = @hidden::@nested_used} {
    return
  }
}

// CASE: a private module without uses goes with all that is in it
builtin.module {
  builtin.module @hidden attributes {sym_visibility = "private"} {
    func.func @public() {
      return
    }
  }
}

// CASE: a module without a name hides what is nested
builtin.module {
  builtin.module {
    func.func nested @nested() {
      return
    }
    func.func @public() {
      return
    }
    func.func private @private() {
      return
    }
  }
}

// CASE: references in arrays and dictionaries count
func.func private @in_array() {
  return
}
func.func private @in_dictionary() {
  return
}
func.func private @deep() {
  return
}
func.func private @dead() {
  return
}
func.func @main() attributes {demo.a = [@in_array, 1], demo.d = {key = @in_dictionary, list = [{x = [@deep]}]}} {
  return
}

// CASE: references in attributes of the table itself count
builtin.module attributes {demo.entry = @entry} {
  func.func private @entry() {
    return
  }
  func.func private @dead() {
    return
  }
}

// CASE: references in attributes of a nested table count where it stands
builtin.module {
  func.func private @outer() {
    return
  }
  builtin.module @inner attributes {demo.entry = @outer} {
    func.func private @outer() {
      return
    }
  }
}

// CASE: a nested reference keeps every symbol on its path
builtin.module {
  builtin.module @a {
    builtin.module @b attributes {sym_visibility = "private"} {
      func.func private @c() {
        return
      }
      func.func private @d() {
        return
      }
    }
  }
  func.func @main() attributes {demo.ref = @a::@b::@c} {
    return
  }
}

// CASE: a reference that leads nowhere keeps nothing
builtin.module {
  builtin.module @a {
    func.func private @b() {
      return
    }
  }
  func.func @main() attributes {demo.ref = @a::@missing, demo.other = @nowhere::@b} {
    return
  }
}

// CASE: names are looked up in the closest table only
builtin.module {
  func.func private @outer() {
    return
  }
  builtin.module @inner {
    func.func @user() attributes {demo.ref = @outer} {
      return
    }
  }
}

// CASE: a name inside hides the same name outside
builtin.module {
  func.func private @f() {
    return
  }
  builtin.module @inner {
    func.func private @f() {
      return
    }
    func.func @user() attributes {demo.ref = @f} {
      return
    }
  }
}

// CASE: a reference from outside keeps a nested symbol
builtin.module {
  builtin.module @inner {
    func.func nested @kept() {
      return
    }
    func.func private @kept_too() {
      return
    }
    func.func private @dead() {
      return
    }
  }
  func.func private @dead_user() attributes {demo.ref = @inner::@dead} {
    return
  }
  func.func @user() attributes {demo.a = @inner::@kept, demo.b = @inner::@kept_too} {
    return
  }
}

// CASE: the user of a symbol may itself be dead
func.func private @used_by_the_dead() {
  return
}
func.func private @dead() {
  func.call @used_by_the_dead() : () -> ()
  return
}

// CASE: unregistered ops refer to symbols as others do
func.func private @handler() {
  return
}
func.func private @dead() {
  return
}
"vendor.register"() {callee = @handler} : () -> ()

// CASE: unregistered ops with a symbol's name are not symbols
"vendor.symbol"() {sym_name = "name", sym_visibility = "private"} : () -> ()
func.func private @dead() {
  return
}

// CASE: unregistered ops with two regions are no tables, and are looked into
func.func private @inside() {
  return
}
func.func private @dead() {
  return
}
"vendor.regions"() ({
  "vendor.use"() {callee = @inside} : () -> ()
}, {
}) : () -> ()

// CASE: an unregistered op with one region may be a table, so nothing can be known
"vendor.region"() ({
  "vendor.use"() {callee = @inside} : () -> ()
}) : () -> ()
func.func private @inside() {
  return
}

// CASE: an unknown table inside a live function
func.func @main() {
  "vendor.region"() ({
    "vendor.end"() : () -> ()
  }) : () -> ()
  return
}

// CASE: an unknown table inside a dead function
func.func private @dead() {
  "vendor.region"() ({
    "vendor.end"() : () -> ()
  }) : () -> ()
  return
}

// CASE: ops inside functions refer to symbols
func.func private @in_branch(%x: i32) -> i32 {
  return %x : i32
}
func.func @main(%c: i1, %x: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    %y = func.call @in_branch(%x) : (i32) -> i32
    scf.yield %y : i32
  } else {
    scf.yield %x : i32
  }
  return %r : i32
}

// CASE: globals are symbols
"memref.global"() <{sym_name = "used", sym_visibility = "private", type = memref<2xi64>, initial_value}> : () -> ()
"memref.global"() <{sym_name = "dead", sym_visibility = "private", type = memref<2xi64>, initial_value}> : () -> ()
"memref.global"() <{sym_name = "public", sym_visibility = "public", type = memref<2xi64>, initial_value}> : () -> ()
func.func @main() -> memref<2xi64> {
  %m = memref.get_global @used : memref<2xi64>
  return %m : memref<2xi64>
}

// CASE: llvm functions and globals
llvm.func @public() {
  %a = llvm.mlir.addressof @text : !llvm.ptr
  llvm.return
}
"llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = !llvm.array<5 x i8>, linkage = #llvm.linkage<internal>, sym_name = "text", unnamed_addr = 0 : i64, value = "hello", visibility_ = 0 : i64}> ({
}) : () -> ()
llvm.func internal @internal_is_public_to_symbols() {
  llvm.return
}

// CASE: private llvm symbols
"llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void ()>, linkage = #llvm.linkage<external>, sym_name = "dead", sym_visibility = "private", visibility_ = 0 : i64}> ({
  "llvm.return"() : () -> ()
}) : () -> ()

// CASE: kernels are public in their module, the module is public as well
builtin.module attributes {gpu.container_module} {
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = () -> ()}> ({
      "gpu.return"() : () -> ()
    }) {sym_name = "kernel", gpu.kernel} : () -> ()
    func.func private @helper() {
      return
    }
  }) : () -> ()
}

// CASE: types that name symbols do not keep them
func.func private @dead(%x: i32) -> i32 {
  return %x : i32
}
func.func @main(%x: i32) -> i32 {
  return %x : i32
}
