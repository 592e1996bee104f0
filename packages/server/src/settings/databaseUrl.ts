import * as PgUrl from "@surety/postgres/PgUrl"
import { Redacted, Result } from "effect"

/** Parses the url of a PostgreSQL database. The result is redacted, and a fault quotes no value of the url. */
export const readDatabaseUrl = (text: string): Result.Result<Redacted.Redacted<string>, string> => {
  const fault = PgUrl.faultOf(text)
  return fault === undefined ? Result.succeed(Redacted.make(text)) : Result.fail(fault)
}
