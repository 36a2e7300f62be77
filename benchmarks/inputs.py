"""The IR that is measured."""

_BODY = """\
  func.func @f{n}(%a: i32, %b: i32, %m: memref<16x16xf32>, %c: index) -> i32 {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
{arithmetic}
    scf.for %i = %zero to %c step %one {{
      %v = memref.load %m[%i, %zero] : memref<16x16xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %m[%zero, %i] : memref<16x16xf32>
    }}
    %cmp = arith.cmpi slt, %z8, %b : i32
    %r = scf.if %cmp -> (i32) {{
      scf.yield %z8 : i32
    }} else {{
      %q = arith.constant {n} : i32
      scf.yield %q : i32
    }}
    func.return %r : i32
  }}
"""


def functions_of_40_ops(functions: int) -> str:
    """Return a module of functions of 40 ops, each with constants of its own."""
    return "".join(
        _BODY.format(
            n=n,
            arithmetic="\n".join(
                f"    %x{k} = arith.addi {f'%z{k - 1}' if k else '%a'}, %b : i32\n"
                f"    %y{k} = arith.constant {100 * n + k} : i32\n"
                f"    %z{k} = arith.muli %x{k}, %y{k} : i32"
                for k in range(9)
            ),
        )
        for n in range(functions)
    )


def empty_functions(functions: int) -> str:
    """Return a module of functions that only return."""
    return "".join(f"func.func @f{n}() {{\n  func.return\n}}\n" for n in range(functions))
