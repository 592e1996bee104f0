import type { OperatorCredential } from "@surety/core/operator/Operator"
import { type Array as Arr, Redacted, Result } from "effect"
import { InvalidOptions } from "./InvalidOptions.js"
import { readKeys } from "./option/secretKeys.js"
import { suretyOptions } from "./option/suretyOptions.js"
import type { SuretyOptions } from "./SuretyOptions.js"

/** Keys, operators and urls parsed from the options. `basePath` and `publicUrl` have defaults and no trailing slash. */
export interface ReadOptions {
  readonly secretKeys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>
  readonly operatorToken: Redacted.Redacted<string> | undefined
  readonly operators: ReadonlyArray<OperatorCredential>
  readonly basePath: string
  readonly publicUrl: string
}

const trimmed = (url: string): string => url.replace(/\/+$/, "")

/** Checks all options and parses those in `ReadOptions`. Throws `InvalidOptions`, which lists every fault. */
export const readOptions = (options: SuretyOptions): ReadOptions => {
  const faults = suretyOptions(options, "")
  if (faults.length > 0) throw new InvalidOptions(faults)
  const { operatorToken, publicUrl, secretsKey } = options
  const [first, ...others] = readKeys(secretsKey).map(Result.getOrThrow)
  if (first === undefined) throw new InvalidOptions(["secretsKey: is an empty list"])
  const basePath = trimmed(options.basePath ?? "")
  return {
    secretKeys: [first, ...others],
    operatorToken: operatorToken === undefined ? undefined : Redacted.make(operatorToken, { label: "operator token" }),
    operators: options.operators ?? [],
    basePath,
    publicUrl: trimmed(publicUrl ?? `http://localhost${basePath}`)
  }
}
