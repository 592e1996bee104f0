/** Traces of the machine or the workflow that a file came from; written so that they do not match themselves. */
const traces: ReadonlyArray<RegExp> = [
  /(?<![\w.])\/w[o]rk\//,
  /(?<![\w.])\/f[a]rm\//,
  /(?<![\w.])\/t[m]p\/[a-z]/,
  /(?<![\w.])\/(h[o]me|Us[e]rs|ro[o]t)\/[a-z]/,
  /\.libr[a]ry\b/,
  /\.\.\/sh[a]red\b/,
  /s[u]bagent/i,
  /the issue tr[a]cker/i,
  /th[i]s session/i
]

/** Lines of a file that reveal where or how it was made. */
export const traceViolations = (file: string, text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((line, index) =>
      traces.some((trace) => trace.test(line)) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : []
    )

/** Entries of the lockfile that are bound to one registry or host. A package's own words (`deprecated`) may hold links. */
export const lockfileHostViolations = (file: string, lockfile: string): ReadonlyArray<string> =>
  lockfile
    .split("\n")
    .flatMap((line, index) =>
      !/^\s*deprecated:/.test(line) && /\w+:\/\/|\btarball:/.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []
    )
