/**
 * Traces of the machine or workflow that produced a file. The patterns are written so that they do not match
 * themselves.
 */
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

/** Returns lines that reveal where or how a file was made. */
export const traceViolations = (file: string, text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((line, index) =>
      traces.some((trace) => trace.test(line)) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : []
    )

/** Returns lockfile entries tied to a registry or host. A package's own `deprecated` message may contain links. */
export const lockfileHostViolations = (file: string, lockfile: string): ReadonlyArray<string> =>
  lockfile
    .split("\n")
    .flatMap((line, index) =>
      !/^\s*deprecated:/.test(line) && /\w+:\/\/|\btarball:/.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []
    )
