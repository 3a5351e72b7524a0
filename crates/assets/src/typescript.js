// Tells which props the islands of a site take: the type of the first parameter of each default export. sitegen runs
// this text with `node --eval`, with the folder of the site's packages as its argument, writes one JSON request per line
// to standard input, and reads one answer per line from standard output.
//
// The shapes are those of `Shape` in islands/declared.rs. Blocks with names are numbered, so that they may contain themselves.

const { createInterface } = require("node:readline");
const ts = require(require("node:path").join(process.argv[1], "typescript"));

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.ReactJSX,
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

const { TypeFlags } = ts;

/** Reads the types of one island. */
class Reader {
  constructor(checker) {
    this.checker = checker;
    this.blocks = [];
    this.numbers = new Map();
  }

  shape(type) {
    const has = (flags) => (type.flags & flags) !== 0;
    if (has(TypeFlags.Any | TypeFlags.Unknown)) return { is: "any" };
    if (has(TypeFlags.Null)) return { is: "null" };
    if (has(TypeFlags.StringLiteral | TypeFlags.NumberLiteral)) return { is: "literal", value: type.value };
    if (has(TypeFlags.BooleanLiteral)) return { is: "literal", value: type.intrinsicName === "true" };
    if (has(TypeFlags.StringLike)) return { is: "text" };
    if (has(TypeFlags.NumberLike)) return { is: "number" };
    if (has(TypeFlags.Boolean)) return { is: "flag" };
    if (type.isUnion()) return this.union(type);
    if (this.checker.isTupleType(type)) return { is: "tuple", of: this.arguments(type).map((one) => this.shape(one)) };
    if (this.checker.isArrayType(type)) return { is: "list", of: this.shape(this.arguments(type)[0]) };
    if (has(TypeFlags.Object | TypeFlags.Intersection)) return this.object(type);
    return this.unusable(type);
  }

  arguments(type) {
    return this.checker.getTypeArguments(type);
  }

  union(type) {
    // `undefined` is what an optional prop may be. TypeScript stores `boolean` as `false | true`.
    const parts = type.types.filter((part) => !(part.flags & TypeFlags.Undefined));
    const isFlag = parts.filter((part) => part.flags & TypeFlags.BooleanLiteral).length === 2;
    const rest = isFlag ? parts.filter((part) => !(part.flags & TypeFlags.BooleanLiteral)) : parts;
    const shapes = [...(isFlag ? [{ is: "flag" }] : []), ...rest.map((part) => this.shape(part))];
    return shapes.length === 1 ? shapes[0] : { is: "union", of: shapes };
  }

  object(type) {
    // A function, or a class of JavaScript such as Date, has methods; no template can give one.
    const isMethod = (property) => property.flags & ts.SymbolFlags.Method;
    const properties = this.checker.getPropertiesOfType(type);
    if (type.getCallSignatures().length > 0 || properties.some(isMethod)) return this.unusable(type);
    const values = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (values && properties.length === 0) return { is: "names", of: this.shape(values) };
    const known = this.numbers.get(type.id);
    if (known !== undefined) return { is: "block", number: known };
    const number = this.blocks.push({}) - 1;
    this.numbers.set(type.id, number);
    for (const property of properties) {
      const optional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      this.blocks[number][property.name] = { optional, shape: this.shape(this.checker.getTypeOfSymbol(property)) };
    }
    return { is: "block", number };
  }

  unusable(type) {
    return { is: "unusable", written: this.checker.typeToString(type) };
  }
}

/** The props of the default export of a file. */
const declared = (program, path) => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  const component = module && checker.getExportsOfModule(module).find((symbol) => symbol.escapedName === "default");
  if (!component) return { failed: "it has no default export, which is its component" };
  const target = component.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(component) : component;
  const [signature] = checker.getTypeOfSymbol(target).getCallSignatures();
  if (!signature) return { failed: "its default export is not a function, and a component is one" };
  const reader = new Reader(checker);
  const [parameter] = signature.getParameters();
  const props = parameter
    ? reader.shape(checker.getTypeOfSymbol(parameter))
    : { is: "block", number: reader.blocks.push({}) - 1 };
  return { props, blocks: reader.blocks };
};

const answer = (id, value) => process.stdout.write(`${JSON.stringify({ id, answer: value })}\n`);

answer(0, process.version);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, request } = JSON.parse(line);
  const program = ts.createProgram(Object.values(request), OPTIONS);
  const islands = Object.entries(request).map(([name, path]) => [name, declared(program, path)]);
  answer(id, Object.fromEntries(islands));
});
