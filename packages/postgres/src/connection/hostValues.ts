import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result } from "effect"
import { parse as parseArray } from "postgres-array"

/** A parameter in the form that the driver sends: null, text whose type the server infers, or a type's binary form. */
interface Sent {
  readonly oid: number
  readonly value: string | Buffer | null
}

const binary = (oid: number, value: unknown): Sent => ({
  oid,
  value: Buffer.from(Result.getOrThrow(PgTypes.encode(value, oid)))
})

const numberOid = (value: number): number => {
  if (!Number.isSafeInteger(value)) return PgTypes.OID.float8
  return Math.abs(value) < 2 ** 31 ? PgTypes.OID.int4 : PgTypes.OID.int8
}

/**
 * Encodes a statement's parameter. Chooses the type as `@effect/sql-pg` does, so that the stores' statements run on
 * both clients. Throws for a value that these statements never send, such as an array without an explicit type.
 */
export const sent = (parameter: unknown): Sent => {
  if (parameter === null || parameter === undefined) return { oid: 0, value: null }
  if (PgTypes.isParameter(parameter)) {
    return parameter.value === null ? { oid: parameter.oid, value: null } : binary(parameter.oid, parameter.value)
  }
  switch (typeof parameter) {
    case "string":
      return { oid: 0, value: parameter }
    case "boolean":
      return binary(PgTypes.OID.bool, parameter)
    case "bigint":
      return binary(PgTypes.OID.int8, parameter)
    case "number": {
      const oid = numberOid(parameter)
      return binary(oid, oid === PgTypes.OID.int8 ? BigInt(parameter) : parameter)
    }
    default:
      if (parameter instanceof Date) return binary(PgTypes.OID.timestamptz, parameter)
      if (parameter instanceof Uint8Array) return binary(PgTypes.OID.bytea, parameter)
      throw new TypeError("a parameter has a type that these stores never send")
  }
}

/** Parses a time in the DateStyle `ISO`, such as `2026-03-01 09:30:00.123+00`. */
const time = (text: string): Date => {
  const date = new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"))
  if (Number.isNaN(date.getTime()))
    throw new TypeError("the server returns times in a DateStyle other than ISO; set DateStyle to ISO")
  return date
}

/** Parses bytes in the bytea_output `hex`, such as `\x00ff`. */
const bytes = (text: string): Uint8Array => {
  if (!text.startsWith("\\x"))
    throw new TypeError("the server returns bytes in a bytea_output other than hex; set bytea_output to hex")
  return new Uint8Array(Buffer.from(text.slice(2), "hex"))
}

const identity = (text: string): unknown => text
const bool = (text: string): unknown => text === "t"

const readers = new Map<number, (text: string) => unknown>([
  [PgTypes.OID.bool, bool],
  [PgTypes.OID.int2, Number],
  [PgTypes.OID.int4, Number],
  [PgTypes.OID.oid, Number],
  [PgTypes.OID.int8, BigInt],
  [PgTypes.OID.float4, Number],
  [PgTypes.OID.float8, Number],
  [PgTypes.OID.timestamptz, time],
  [PgTypes.OID.json, JSON.parse],
  [PgTypes.OID.jsonb, JSON.parse],
  [PgTypes.OID.bytea, bytes],
  [PgTypes.OID.textArray, (text) => parseArray(text)],
  [PgTypes.OID.uuidArray, (text) => parseArray(text)],
  [PgTypes.OID.int4Array, (text) => parseArray(text, Number)],
  [PgTypes.OID.int8Array, (text) => parseArray(text, BigInt)]
])

/** Returns the parser for a column's text, by the oid of its type. Text of a type without a parser stays unchanged. */
export const reader = (oid: number): ((text: string) => unknown) => readers.get(oid) ?? identity
