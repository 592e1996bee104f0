import { Data } from "effect"

/**
 * That an attempt has the arrival locked, so that no other one can take it: what opens the former cell asks for it. Only
 * `Arrival` makes one.
 */
export class ArrivalHeld extends Data.Class<{ readonly attempt: string }> {}
