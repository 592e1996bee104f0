import { Effect, Layer } from "effect"
import { AddressLookup, NameNotResolved } from "../../src/target/AddressLookup.js"

/** Results of successive lookups, by name. The last result repeats. */
export type Script = Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>

/** Names outside the script have no address. */
export const scriptedLookup = (script: Script) => {
  const asked: Array<string> = []
  const addressesOf = (name: string) =>
    Effect.suspend(() => {
      const answers = script[name] ?? []
      const times = asked.filter((one) => one === name).length
      asked.push(name)
      const addresses = answers[Math.min(times, answers.length - 1)]
      return addresses === undefined
        ? Effect.fail(new NameNotResolved({ code: "ENOTFOUND" }))
        : Effect.succeed(addresses)
    })
  return { asked, layer: Layer.succeed(AddressLookup, { addressesOf }) }
}
