// Vectors: loads, broadcasts, fused multiply-adds and reductions.
func.func @axpy(%x: memref<64xf32>, %y: memref<64xf32>, %a: f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c8 {
    %av = vector.broadcast %a : f32 to vector<8xf32>
    %av_again = vector.broadcast %a : f32 to vector<8xf32>
    %xv = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    %yv = vector.load %y[%i] : memref<64xf32>, vector<8xf32>
    %r = vector.fma %av_again, %xv, %yv : vector<8xf32>
    vector.store %r, %y[%i] : memref<64xf32>, vector<8xf32>
  }
  return
}

func.func @sum(%m: memref<16xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<16xf32>, vector<16xf32>
  %s = vector.reduction <add>, %v : vector<16xf32> into f32
  %s_again = vector.reduction <add>, %v : vector<16xf32> into f32
  %r = arith.addf %s, %s_again : f32
  return %r : f32
}

func.func @constants() -> vector<4xi32> {
  %a = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %b = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %unused = arith.constant dense<0.5> : vector<4xf32>
  %s = arith.addi %a, %b : vector<4xi32>
  return %s : vector<4xi32>
}

func.func @lanes(%v: vector<4xf32>, %x: f32) -> f32 {
  %w = vector.insert %x, %v[2] : f32 into vector<4xf32>
  %a = vector.extract %w[2] : f32 from vector<4xf32>
  %b = vector.extract %v[0] : f32 from vector<4xf32>
  %b_again = vector.extract %v[0] : f32 from vector<4xf32>
  %c = arith.addf %b, %b_again : f32
  %d = arith.addf %a, %c : f32
  return %d : f32
}

func.func @masked(%n: index) -> vector<8xi1> {
  %m = vector.create_mask %n : vector<8xi1>
  %m_again = vector.create_mask %n : vector<8xi1>
  %both = arith.andi %m, %m_again : vector<8xi1>
  return %both : vector<8xi1>
}
