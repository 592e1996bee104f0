/** The variables that leave tests out, and what is then not tested. A test may skip itself for no other reason. */
export const variables = {
  SKIP_BROWSER: "every page in a browser",
  SKIP_BACKUP: "backup and restore with PostgreSQL's tools",
  SKIP_FULL_DISK: "a database on a full disk",
  SKIP_LINUX: "memory and descriptors, which only Linux's /proc reports",
  SKIP_HA: "a failover with Patroni, etcd, PgBouncer and HAProxy",
  SKIP_SDKS: "the packages for Python, PHP and Go"
} as const

type Variable = keyof typeof variables
type Environment = Readonly<Record<string, string | undefined>>

/** Whether the variable is set to 1. Without it a test that lacks what it needs fails. */
export const isLeftOut = (environment: Environment, variable: Variable): boolean => environment[variable] === "1"

/** One line for each variable that is set, to be printed at the end of a run. */
export const report = (environment: Environment): ReadonlyArray<string> =>
  Object.entries(variables)
    .filter(([variable]) => environment[variable] === "1")
    .map(([variable, what]) => `NOT TESTED (${variable}=1): ${what}`)
