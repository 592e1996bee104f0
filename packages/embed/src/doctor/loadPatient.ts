import { existsSync } from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { Predicate } from "effect"
import type { Patient } from "./diagnose.js"

/** Thrown if the host's module cannot be examined. The message says why. */
export class PatientNotFound extends Error {
  override readonly name = "PatientNotFound"
}

const isPatient = (value: unknown): value is Patient =>
  Predicate.isObject(value) && ("refunds" in value || "store" in value || "secretsKey" in value)

const exported = (module: object): unknown =>
  ["surety", "options", "default"].map((name) => Reflect.get(module, name)).find((value) => value !== undefined)

/**
 * Imports the host's module. Returns its Surety or `createSurety` options, exported as `surety`, `options` or
 * `default`. The export may also be a promise of either, or a function that returns either or such a promise. Rejects
 * with `PatientNotFound` if the module cannot be imported or exports none of these.
 */
export const loadPatient = async (file: string): Promise<Patient> => {
  const absolute = path.resolve(file)
  if (!existsSync(absolute)) {
    throw new PatientNotFound(`${file} does not exist. Pass --config with the path of your module.`)
  }
  const url = pathToFileURL(absolute).href
  const module: unknown = await import(url).catch((cause: unknown) => {
    throw new PatientNotFound(`${file} cannot be imported: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  const found = Predicate.isObject(module) ? exported(module) : undefined
  const patient: unknown = typeof found === "function" ? await Reflect.apply(found, undefined, []) : await found
  if (isPatient(patient)) return patient
  throw new PatientNotFound(
    `${file} exports neither a Surety nor options. Export one of them as \`surety\`, \`options\` or by default.`
  )
}
