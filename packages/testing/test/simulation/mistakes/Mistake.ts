import type { Invariant } from "@surety/testing/simulation/invariants/Invariant"
import type { Subject } from "@surety/testing/simulation/Repertoire"
import type { SimulatedParts } from "@surety/testing/simulation/world/Cluster"
import { Layer } from "effect"
import type { Broken } from "../../faults/Fault.js"

/** A plausible programming mistake. The first violation must be of an invariant in `violates`. */
export interface Mistake {
  readonly how: string
  readonly violates: ReadonlyArray<Invariant>
  readonly parts: SimulatedParts
  /** Subject of the stories that find the mistake. Defaults to the subject of the mistake's list in `mistakes.ts`. */
  readonly about?: Subject
}

export const ofStore = (
  violates: Invariant | ReadonlyArray<Invariant>,
  { how, over }: Broken,
  about?: Subject
): Mistake => ({
  ...(about === undefined ? {} : { about }),
  how,
  violates: [violates].flat(),
  parts: { stores: (sound) => Layer.provideMerge(over, sound) }
})

/** Longer than any story. */
export const years = { years: 100 } as const
