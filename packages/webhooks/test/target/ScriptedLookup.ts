import { Effect, Layer } from "effect"
import { AddressLookup, NameNotResolved } from "../../src/target/AddressLookup.js"

/** What a name has at each look-up, one after the other; the last one stays. */
export type Script = Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>

/** A look-up that answers by script, and the names that were asked for. Names that are not in it have no address. */
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
