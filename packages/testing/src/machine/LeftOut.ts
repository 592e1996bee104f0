/** The variables that leave tests out, and what they leave untested. */
export const variables = {
  SKIP_BROWSER: "every page in a browser",
  SKIP_BACKUP: "backup and restore with PostgreSQL's tools",
  SKIP_FULL_DISK: "a database on a full disk",
  SKIP_LINUX: "memory and descriptors, which only Linux's /proc reports",
  SKIP_HA: "a failover with Patroni, etcd, PgBouncer and HAProxy",
  SKIP_SDKS: "the packages for Python, PHP and Go"
} as const

/** The variables for tools that no registry has, and what is untested without them. */
export const wanted = {
  CITUS_NATIVE: "the stores in a distributed schema of Citus"
} as const

type Variable = keyof typeof variables
type Wanted = keyof typeof wanted
type Environment = Readonly<Record<string, string | undefined>>

/** Whether the variable is set to 1. Without it a test that lacks what it needs fails. */
export const isLeftOut = (environment: Environment, variable: Variable): boolean => environment[variable] === "1"

/**
 * Whether a wanted variable is missing. A test may skip itself for this and for `isLeftOut`, and for no other reason.
 */
export const isMissing = (environment: Environment, variable: Wanted): boolean => (environment[variable] ?? "") === ""

/** One line that lists everything untested, printed at the end of a run. */
export const report = (environment: Environment): ReadonlyArray<string> => [
  ...Object.entries(variables)
    .filter(([variable]) => environment[variable] === "1")
    .map(([variable, what]) => `NOT TESTED (${variable}=1): ${what}`),
  ...Object.entries(wanted)
    .filter(([variable]) => (environment[variable] ?? "") === "")
    .map(([variable, what]) => `NOT TESTED (${variable} is not set): ${what}`)
]
