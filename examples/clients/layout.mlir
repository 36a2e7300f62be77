func.func @layout() -> !fly.layout<(2,3):(2,3)> {
  %0 = fly.static : !fly.int_tuple<(2,3)>
  %1 = fly.static : !fly.int_tuple<(2,3)>
  %2 = fly.make_layout(%0, %1) : (!fly.int_tuple<(2,3)>, !fly.int_tuple<(2,3)>) -> !fly.layout<(2,3):(2,3)>
  return %2 : !fly.layout<(2,3):(2,3)>
}
