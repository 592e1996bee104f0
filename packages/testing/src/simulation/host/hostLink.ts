import { Exit } from "effect"
import type { Draw } from "../world/Draw.js"
import type { Link } from "../world/Network.js"

const broken = () => Exit.die(new Error("simulated breakdown"))

/** Draws a value that an untyped adapter might return instead of a valid response. */
const garbage = (draw: Draw): unknown =>
  draw.pick<() => unknown>([
    () => undefined,
    () => null,
    () => true,
    () => "credited",
    () => ({}),
    () => [],
    () => ({ _tag: "Credited", error: "frozen" }),
    () => ({ _tag: "VERIFIED!", checks: { first_name: "YES" } }),
    () => ({ email: "not redacted" })
  ])()

/** Ports of the simulated host. Calls to them go through `hostLink`. */
export const simulatedHostPorts = [
  "ConsentNotifier",
  "ConsumerDirectory",
  "KycProvider",
  "PersonDataHolder",
  "Wallet"
] as const
export type HostPort = (typeof simulatedHostPorts)[number]

/**
 * The only operation that the link never duplicates. A vendor that does not recognise repeated calls charges for every
 * submission it receives, and no caller can prevent that.
 */
export const submission = "KycProvider.submit"

/**
 * The connection to an implementation of a host's port. It has no timeout: a call with the fate `silent` or `unheard`
 * never returns, so the calling service must limit its wait. A call with the fate `refused` or `unanswered` ends in a
 * defect. A garbled response may have any type.
 */
export const hostLink: Link = {
  frailty: 4,
  slowMillis: 30_000,
  givesUpAfterMillis: undefined,
  refused: broken,
  unanswered: broken,
  garbled: (_, draw) => Exit.succeed(garbage(draw)),
  doubles: (operation) => operation !== submission
}
