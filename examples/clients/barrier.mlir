func.func @barrier() {
  hk.barrier
  hk.barrier
  return
}
