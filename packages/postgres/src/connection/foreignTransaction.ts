import { Predicate } from "effect"

const wanted =
  "Pass the pg connection on which you began the transaction: a Client, or the PoolClient from pool.connect()."

const has = (given: object, ...fields: ReadonlyArray<string>): boolean =>
  fields.every((field) => Predicate.hasProperty(given, field) && given[field] !== undefined)

interface Foreign {
  readonly isIt: (given: object) => boolean
  readonly fault: string
}

/**
 * Objects that hosts may mistake for a `pg` connection. `isIt` recognises one. `fault` names it and says why it cannot
 * be used, or what to do instead. The first match counts, because one library's objects may look like another's.
 */
const foreign: ReadonlyArray<Foreign> = [
  {
    isIt: (given) =>
      has(given, "totalCount", "idleCount") || (has(given, "connect", "end") && !has(given, "escapeLiteral")),
    fault: "a pool, which runs each statement on whichever connection is free, outside of your transaction"
  },
  {
    isIt: (given) => has(given, "raw", "client", "schema"),
    fault: "Knex; its transaction's connection is `await trx.client.acquireConnection()`"
  },
  {
    isIt: (given) => has(given, "executeQuery", "selectFrom"),
    fault: "Kysely; run the transaction on a pg connection, and give Kysely a dialect over the same connection"
  },
  {
    isIt: (given) => has(given, "dialect", "session", "execute"),
    fault: "Drizzle; begin on a PoolClient, wrap it with drizzle(client), and pass the client"
  },
  {
    isIt: (given) => has(given, "unsafe", "typed", "array"),
    fault: "postgres.js, whose connections cannot be used; insert a row into surety.requests in its transaction instead"
  },
  {
    isIt: (given) => has(given, "$queryRaw"),
    fault: "Prisma, which does not expose its connection; insert a row into surety.requests in its transaction instead"
  },
  {
    isIt: (given) => has(given, "createQueryBuilder") || has(given, "databaseConnectionPromise", "manager"),
    fault: "TypeORM; a QueryRunner's connection is `await queryRunner.connect()`"
  }
]

/**
 * Returns why `given` cannot be the connection of a `pg` transaction and what to pass instead. Undefined if it has
 * `query()` and is none of the `foreign` objects.
 */
export const foreignTransactionRefusal = (given: unknown): string | undefined => {
  if ((typeof given !== "object" && typeof given !== "function") || given === null) {
    return `inTransaction got ${given === null ? "null" : typeof given}. ${wanted}`
  }
  const found = foreign.find(({ isIt }) => isIt(given))
  if (found !== undefined) return `inTransaction got ${found.fault}. ${wanted}`
  return has(given, "query") && Predicate.hasProperty(given, "query") && typeof given.query === "function"
    ? undefined
    : `inTransaction got an object without query(). ${wanted}`
}
