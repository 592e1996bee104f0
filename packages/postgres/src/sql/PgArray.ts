import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result } from "effect"

/**
 * Builds an array parameter with an explicit type. The driver would infer the type from the elements, and fail if every
 * element is null.
 */
const arrayOf =
  <A>(elementOid: number) =>
  (values: ReadonlyArray<A | null>): PgTypes.Parameter =>
    Result.getOrThrow(PgTypes.array(values, elementOid))

export const uuids = arrayOf<string>(PgTypes.OID.uuid)
export const texts = arrayOf<string>(PgTypes.OID.text)
export const bigints = arrayOf<bigint>(PgTypes.OID.int8)
export const integers = arrayOf<number>(PgTypes.OID.int4)
export const booleans = arrayOf<boolean>(PgTypes.OID.bool)
/** Timestamps, in epoch milliseconds. */
export const times = arrayOf<number>(PgTypes.OID.timestamptz)
