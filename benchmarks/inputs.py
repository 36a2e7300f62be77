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


def redundant_functions(functions: int) -> str:
    """Return a module of functions that compute the same twice."""
    return "".join(
        f"func.func @f{n}(%a: i32) -> i32 {{\n  %0 = arith.addi %a, %a : i32\n"
        "  %1 = arith.addi %a, %a : i32\n  %2 = arith.muli %0, %1 : i32\n"
        "  func.return %2 : i32\n}\n"
        for n in range(functions)
    )


def calling_functions(functions: int) -> str:
    """Return a module of functions of which each calls another one, far from it."""
    return "".join(
        f"func.func @k{n}() {{\n  func.call @k{(n + functions // 2) % functions}() : () -> ()\n"
        "  func.return\n}\n"
        for n in range(functions)
    )


def parts_of_a_file(parts: int) -> str:
    """Return modules, for `--split-input-file`."""
    return "// -----\n".join(empty_functions(2) for _ in range(parts))


def branching_function(blocks: int) -> str:
    """Return a function of blocks, each of which may leave out the next one."""
    body = "".join(
        f"^b{n}:\n  %{n} = memref.load %m[] : memref<i1>\n  memref.store %{n}, %m[] : memref<i1>\n"
        f"  cf.cond_br %{n}, ^b{n + 1}, ^b{n + 2}\n"
        for n in range(blocks)
    )
    last, end = (f"^b{n}:\n  memref.store %c, %m[] : memref<i1>\n" for n in (blocks, blocks + 1))
    return (
        f"func.func @f(%m: memref<i1>, %c: i1) {{\n  cf.br ^b0\n{body}"
        f"{last}  cf.br ^b{blocks + 1}\n{end}  func.return\n}}\n"
    )
