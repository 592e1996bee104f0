import { Exit } from "effect"
import type { Draw } from "../world/Draw.js"
import type { Link } from "../world/Network.js"

const broken = () => Exit.die(new Error("simulated breakdown"))

/** Values that an adapter in JavaScript may pass on, none of which is a valid response of any port. */
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

/** The ports behind which a host's parts are. */
export const simulatedHostPorts = [
  "ConsentNotifier",
  "ConsumerDirectory",
  "KycProvider",
  "PersonDataHolder",
  "Wallet"
] as const
export type HostPort = (typeof simulatedHostPorts)[number]

/** A vendor that recognises no repeats is paid for each submission that arrives. No caller can prevent that. */
export const submission = "KycProvider.submit"

/** The connection to a host's part. Only the calling service limits its time, and its failures have any form. */
export const hostLink: Link = {
  frailty: 4,
  slowMillis: 30_000,
  givesUpAfterMillis: undefined,
  refused: broken,
  unanswered: broken,
  garbled: (_, draw) => Exit.succeed(garbage(draw)),
  doubles: (operation) => operation !== submission
}
