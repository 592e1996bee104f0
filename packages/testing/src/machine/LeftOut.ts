/** Variables that skip tests, each with the subject of the skipped tests. */
export const variables = {
  SKIP_BROWSER: "every page in a browser",
  SKIP_BACKUP: "backup and restore with PostgreSQL's tools",
  SKIP_FULL_DISK: "a database on a full disk",
  SKIP_LINUX: "memory and descriptors, which only Linux's /proc reports",
  SKIP_HA: "a failover with Patroni, etcd, PgBouncer and HAProxy",
  SKIP_SDKS: "the packages for Python, PHP and Go"
} as const

/**
 * Variables that locate tools missing from every package registry, each with the subject of the tests that need the
 * tool.
 */
export const wanted = {
  CITUS_NATIVE: "the stores in a distributed schema of Citus"
} as const

type Variable = keyof typeof variables
type Wanted = keyof typeof wanted
type Environment = Readonly<Record<string, string | undefined>>

/**
 * True if the variable is 1, which skips its tests. Otherwise, the tests fail on a machine that lacks their
 * requirements.
 */
export const isLeftOut = (environment: Environment, variable: Variable): boolean => environment[variable] === "1"

/** True if a wanted variable is unset or empty. Only this function and `isLeftOut` may make a test skip itself. */
export const isMissing = (environment: Environment, variable: Wanted): boolean => (environment[variable] ?? "") === ""

/** Returns one line for each untested area, to print at the end of a run. */
export const report = (environment: Environment): ReadonlyArray<string> => [
  ...Object.entries(variables)
    .filter(([variable]) => environment[variable] === "1")
    .map(([variable, what]) => `NOT TESTED (${variable}=1): ${what}`),
  ...Object.entries(wanted)
    .filter(([variable]) => (environment[variable] ?? "") === "")
    .map(([variable, what]) => `NOT TESTED (${variable} is not set): ${what}`)
]
