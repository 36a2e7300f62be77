//===- PassBase.td - What a pass declares ------------------------*- tablegen -*-===//
//
// The classes that `Passes.td` files are written with, as MLIR 22 has them. passel-tblgen
// uses this file where MLIR's own is not on the include path.
//
//===------------------------------------------------------------------------------===//

#ifndef MLIR_PASS_PASSBASE
#define MLIR_PASS_PASSBASE

// A value that a pass can be given. An empty default means that there is none.
class Option<string variable, string name, string cppType, string default, string text,
             string flags = ""> {
  string cppName = variable;
  string argument = name;
  string type = cppType;
  string defaultValue = default;
  string description = text;
  string additionalOptFlags = flags;
}

// A list of values, separated by commas. `cppType` is that of an element.
class ListOption<string variable, string name, string cppType, string text, string flags = "">
    : Option<variable, name, cppType, "", text, flags>;

// A number that a pass counts up.
class Statistic<string variable, string title, string text> {
  string cppName = variable;
  string name = title;
  string description = text;
}

// A pass: its name in pipelines, and the C++ class that it is derived from.
class PassBase<string name, string base> {
  string argument = name;
  string baseClass = base;
  string summary = "";
  string description = "";
  code constructor = "";
  list<string> dependentDialects = [];
  list<Option> options = [];
  list<Statistic> statistics = [];
}

// A pass on ops of one C++ class; on any op that is isolated from above without one.
class Pass<string name, string op = "">
    : PassBase<name, "::mlir::OperationPass<" # op # ">">;

// A pass on ops that implement an interface.
class InterfacePass<string name, string interface>
    : PassBase<name, "::mlir::InterfacePass<" # interface # ">">;

#endif // MLIR_PASS_PASSBASE
