func.func @registers() -> (!amdgcn.vgpr, !amdgcn.vgpr) {
  %0 = lsir.alloca : !amdgcn.vgpr
  %1 = lsir.alloca : !amdgcn.vgpr
  return %0, %1 : !amdgcn.vgpr, !amdgcn.vgpr
}
