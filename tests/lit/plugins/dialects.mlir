// A plugin may define dialects, under the flag for passes or that for dialects; lists have them.
// RUN: passel-opt %s --load-pass-plugin=%inputs/dialects.py --cse | FileCheck %s
// RUN: passel-opt %s --load-dialect-plugin=%inputs/dialects.py | FileCheck %s
// RUN: passel-opt --show-dialects --load-pass-plugin=%inputs/dialects.py | FileCheck %s --check-prefix=LIST
// RUN: not passel-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT

// CHECK: "zoo.cat"() : () -> ()
// LIST: ,zoo
// WITHOUT: error: operation being parsed with an unregistered dialect
"zoo.cat"() : () -> ()
