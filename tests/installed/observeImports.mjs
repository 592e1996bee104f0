// Runs in a host's project. Imports the modules listed in the variable WATCHED and prints which parts of the process's
// state changed. Modules in FIRST are imported beforehand and do not count.
const state = () => ({
  globals: Reflect.ownKeys(globalThis).map(String),
  builtIns: [
    Object,
    Array,
    String,
    Number,
    Promise,
    Map,
    Set,
    Date,
    JSON,
    Math,
    BigInt,
    Error,
    Function,
    RegExp,
    Symbol
  ]
    .flatMap((of) => [of, of.prototype ?? {}])
    .map((object) => Reflect.ownKeys(object).length),
  listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`),
  environment: { ...process.env },
  resources: process
    .getActiveResourcesInfo()
    .filter((name) => !/^(FSReqPromise|CloseReq|PipeWrap|TTYWrap)$/.test(name)),
  stackDepth: Error.stackTraceLimit
})

const importAll = async (specifiers) => {
  for (const specifier of specifiers) await import(specifier)
}

const specifiersIn = (variable) => JSON.parse(process.env[variable] ?? "[]")

await importAll(specifiersIn("FIRST"))
const before = state()
await importAll(specifiersIn("WATCHED"))
const after = state()
console.log(
  JSON.stringify(Object.keys(before).filter((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part])))
)
