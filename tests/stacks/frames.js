// Makes calls from many kinds of JavaScript frames. Each call `fs.statSync("/stride-mark/N")` is made by `mark`. At the end, the file that is named by the
// first argument gets a line for each: the number, and the frames that led to `mark`, as V8 itself knows them. The second argument is the trace, for
// which the program waits: Stride has to know the program first.
"use strict";

const fs = require("fs");
const vm = require("vm");
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");

const told = [];
const numbers = new Int32Array(isMainThread ? new SharedArrayBuffer(4) : workerData);
const options = { throwIfNoEntry: false };
Error.stackTraceLimit = Infinity;

// Frames of functions that wait (await) are not on the stack, and V8's own functions are native.
function describe(_, sites) {
  const isWasm = (site) => site.getFileName()?.startsWith("wasm:");
  const isScript = (site) => !site.isAsync() && (site.getFileName() || site.isEval()) && !isWasm(site);
  const name = (site) => {
    const name = site.getFunctionName();
    return name === "eval" && site.isEval() ? "" : name ?? "";
  };
  return sites.filter(isScript).map((site) => [name(site), site.getFileName() ?? "<eval>", site.getLineNumber()].join("\t"));
}

function mark() {
  const holder = {};
  const previous = Error.prepareStackTrace;
  Error.prepareStackTrace = describe;
  Error.captureStackTrace(holder, mark);
  const frames = holder.stack;
  Error.prepareStackTrace = previous;
  const number = Atomics.add(numbers, 0, 1);
  told.push(number + "\x01" + frames.join("\x01"));
  fs.statSync("/stride-mark/" + number, options);
}

function recursion(depth) {
  if (depth) {
    recursion(depth - 1);
  } else {
    mark();
  }
}

function* generator(depth) {
  mark();
  if (depth) {
    yield* generator(depth - 1);
  }
  yield 1;
  mark();
}

class Class {
  static made = (mark(), 1);
  #field = mark();

  constructor() {
    mark();
  }

  static {
    mark();
  }

  get attribute() {
    mark();
    return 1;
  }

  set attribute(value) {
    mark();
  }

  static fixed() {
    return (() =>
      mark())();
  }

  ["computed" + 1]() {
    mark();
  }

  #hidden() {
    mark();
  }

  hidden() {
    this.#hidden();
  }

  [Symbol.toPrimitive]() {
    mark();
    return 1;
  }
}

class Derived extends Class {
  constructor(...all) {
    super(...all);
    mark();
  }

  hidden() {
    super.hidden();
    mark();
  }
}

function exceptions() {
  try {
    try {
      throw new Error(1);
    } finally {
      mark();
    }
  } catch {
    mark();
    try {
      null.x;
    } catch (error) {
      mark();
    }
  }
}

function calledBack() {
  [3, 1, 2].sort((a, b) => {
    mark();
    return a - b;
  });
  [1, 2].forEach((n) => recursion(n));
  [1, 2].map(function named() {
    mark();
  });
  [1, 2].reduce((a, b) => mark() || b);
  "abc".replace(/b/, () => mark() || "");
  JSON.parse("[1]", (_, value) => mark() || value);
  JSON.stringify({ toJSON: () => mark() });
  new Map([[1, 2]]).forEach(() => mark());
  Array.from([1], () => mark());
  Reflect.apply(mark, null, []);
  mark.call(null);
  mark.bind(null)();
  mark.apply(null, [1, 2, 3]);
  ((...all) => mark(...all))(1, 2, 3);
  new Proxy({}, { get: () => mark() }).anything;
  const object = new Derived();
  object.attribute;
  object.attribute = 1;
  object.computed1();
  object.hidden();
  Class.fixed();
  +object;
  `${object}`;
  const { a = mark() } = {};
  object?.attribute;
  ((b = mark()) => b)();
  new (class {
    field = mark();
  })();
  const inferred = {};
  inferred.inner = {};
  inferred.inner.method = function () {
    mark();
  };
  inferred.inner.method();
}

function overLines() {
  calling(
    1,
    () =>
      mark(),
    [
      mark(),

      mark(),
    ]
  );
  for (let i = 0; i < 2; mark(), i++) {
    mark();
  }
  switch (1) {
    case 1:
      mark();
  }
  label: {
    mark(); mark(
    );
  }
}

function calling(_, callback) {
  callback();
}

// Code that goes, and other code takes its place.
function made() {
  for (let i = 0; i < 40; i++) {
    eval("\n".repeat(i % 7) + "mark()");
    new Function("mark", "\n".repeat(i % 5) + "mark()")(mark);
    vm.runInThisContext("(function f" + i + "(mark) {" + "\n".repeat(i % 6) + "mark() })", { filename: "/made/" + (i % 3) + ".js" })(mark);
    vm.runInThisContext("\n\n(mark) =>\nmark()", { filename: "/made/offset.js", lineOffset: 10 })(mark);
  }
  for (const name of ["größe", "函数", "𐍈"]) {
    vm.runInThisContext("(function " + name + "(mark) {\r\n\r\n mark() })", { filename: "/made/" + name + ".js" })(mark);
  }
}

function longLines() {
  const far = (text) => vm.runInThisContext("(function far(mark, x) {" + text + "mark() })", { filename: "/made/far.js" })(mark, 1);
  far("x = 1\n".repeat(3000));
  far("\n".repeat(70000));
  far(Array.from({ length: 300 }, (_, i) => "let x" + i + " = " + i + ";\n").join("") + "(() => [" + Array.from({ length: 300 }, (_, i) => "x" + i) + "])();\n");
}

// Closures that are made anew, while garbage moves them.
function young() {
  const kept = [];
  for (let i = 0; i < 200; i++) {
    for (let n = 0; n < 2000; n++) {
      kept[n % 500] = { n, text: "x" + n };
    }
    const closure = () => kept.length && mark();
    closure();
  }
}

// Functions that are compiled in several ways, the more often they were called.
function hot(n, really) {
  let sum = 0;
  for (let i = 0; i < n % 7; i++) {
    sum += i;
  }
  if (really) {
    sum += n;
    mark();
  }
  return sum;
}

function caller(n, really) {
  return hot(n, really) +
    hot(n + 1,
      really);
}

function compiled() {
  for (let round = 0; round < 60; round++) {
    for (let n = 0; n < 3000; n++) {
      caller(n, false);
    }
    caller(round, true);
  }
  // In a loop that does not end before it is compiled.
  let sum = 0;
  for (let n = 0; n < 3000000; n++) {
    sum += n % 3;
    if (n % 300000 === 7) {
      mark();
    }
  }
  return sum;
}

async function awaited(depth) {
  if (depth) {
    await awaited(depth - 1);
  }
  mark();
}

async function* asyncGenerator() {
  mark();
  yield 1;
  await awaited(1);
  yield 2;
}

async function asynchronous() {
  mark();
  await awaited(3);
  await Promise.all([awaited(1), awaited(2)]);
  for await (const _ of asyncGenerator()) {
    mark();
  }
  await Promise.reject(new Error("x")).catch(() => mark());
  await new Promise((resolve) => setTimeout(() => resolve(mark()), 1));
  await new Promise((resolve) => setImmediate(() => resolve(mark())));
  await new Promise((resolve) => process.nextTick(() => resolve(mark())));
  queueMicrotask(() => mark());
  await null;
  const emitter = new (require("events"))();
  emitter.on("event", () => mark());
  emitter.emit("event");
}

// Code of WebAssembly: a function `g` that calls the function `f` which it was given.
const WASM = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 109, 1, 102, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 103, 0, 1, 10, 6, 1, 4, 0, 16, 0, 11];

// Native code and other code that is no JavaScript, which calls back.
async function extensions() {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(WASM)), { m: { f: () => recursion(1) } });
  exports.g();
  [1, 2].forEach(exports.g);
  const { AsyncLocalStorage } = require("async_hooks");
  new AsyncLocalStorage().run(1, () => mark());
  const shown = () => mark() || "";
  require("util").inspect({ [Symbol.for("nodejs.util.inspect.custom")]: shown });
  const { Readable, Transform } = require("stream");
  const transform = new Transform({
    transform(data, encoding, done) {
      mark();
      done(null, data);
    },
  });
  for await (const _ of Readable.from(["a", "b"]).pipe(transform)) {
    mark();
  }
  await new Promise((resolve) => require("zlib").gzip("text", () => resolve(mark())));
  await new Promise((resolve) => require("crypto").randomBytes(8, () => resolve(mark())));
  vm.runInNewContext("f()", { f: () => mark() }, { filename: "/made/context.js" });
  const module = await import("data:text/javascript,export function imported(f) {\nf() }\nexport default (f) => f();");
  module.imported(mark);
  module.default(() => mark());
  const tag = (strings, ...values) => mark() || strings;
  tag`a ${1} b`;
  const steps = generator(1);
  steps.next();
  steps.return(1);
  structuredClone({ get a() {
    return mark();
  } });
}

// Errors that lead to each other, and finally blocks on the way.
function fails(depth) {
  try {
    if (depth) {
      fails(depth - 1);
    }
    throw new Error(depth);
  } catch (error) {
    mark();
    throw new Error("outer", { cause: error });
  } finally {
    mark();
  }
}

function manyExceptions() {
  for (let n = 0; n < 3; n++) {
    try {
      fails(3);
    } catch {
      mark();
    }
  }
  new Promise(() => fails(1)).catch(() => {});
}

// Waits until the trace has a text, and makes calls meanwhile, which bring the trace to its file.
function waitFor(text, during) {
  for (;;) {
    during();
    if (fs.readFileSync(process.argv[3], "utf8").includes(text)) {
      return;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

// Waits until Stride knows V8.
function known() {
  waitFor('"symbol":"known"', () => fs.statSync("/stride-known", options));
}

function inThread() {
  for (const depth of [1, 5, 30]) {
    for (let i = 0; i < 3; i++) {
      recursion(depth);
    }
  }
  calledBack();
  young();
}

async function main() {
  known();
  mark();
  for (const depth of [1, 30, 100]) {
    recursion(depth);
  }
  [...generator(3)];
  exceptions();
  calledBack();
  overLines();
  made();
  longLines();
  young();
  manyExceptions();
  await extensions();
  await asynchronous();
  const workers = [1, 2].map(() => new Worker(__filename, { workerData: numbers.buffer, argv: process.argv.slice(2) }));
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.on("message", (frames) => resolve(told.push(...frames))))));
  recursion(480);
  for (let i = 0; i < 3; i++) {
    // From one place, over and over.
    mark();
  }
  compiled();
  // (The memory of a program goes with it.)
  waitFor("/stride-mark/" + (numbers[0] - 1) + '"', () => fs.statSync("/stride-end", options));
  fs.writeFileSync(process.argv[2], told.join("\n") + "\n");
  workers.forEach((worker) => worker.postMessage("end"));
}

if (isMainThread) {
  main();
} else {
  // (The memory of a thread goes with it.)
  parentPort.on("message", () => parentPort.close());
  inThread();
  parentPort.postMessage(told);
}
