import { verify, verifySignature } from "@surety/verifier"
import { newSecret, sign } from "@surety/verifier/testing"
import * as standardWebhooks from "standardwebhooks"
import Stripe from "stripe"
import * as svix from "svix"

/** A check of a body against prepared headers. Throws or rejects if it refuses the body. */
export type Check = (body: Buffer | string) => unknown

/** Our check and another library's equivalent check. */
export interface Pair {
  readonly other: string
  /** What both checks do, for the report. */
  readonly does: string
  readonly ours: Check
  readonly theirs: Check
  /** Required speed of our check, as a multiple of theirs. Undefined if the pair is only informative. */
  readonly goal: number | undefined
}

/** Builds a delivery's headers as Node provides them, plus headers common to most requests. */
const incoming = (signed: Readonly<Record<string, string>>, bytes: number): Record<string, string> => ({
  host: "shop.example",
  connection: "keep-alive",
  accept: "*/*",
  "accept-encoding": "gzip, deflate",
  "content-length": String(bytes),
  ...Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]))
})

/**
 * Builds the pairs for this body. A check that parses the body is paired with `verify`, any other with
 * `verifySignature`. Preparation is not measured: `Webhook` objects decode their secret in advance, and our check
 * caches its key.
 */
export const pairsFor = async (text: string): Promise<ReadonlyArray<Pair>> => {
  const secrets = newSecret()
  const signed = await sign({ secrets, topic: "refund.completed", payload: text })
  const headers = incoming(signed.headers, Buffer.byteLength(text))
  const standard = new standardWebhooks.Webhook(secrets)
  const ofSvix = new svix.Webhook(secrets)
  const { webhooks: ofStripe } = new Stripe("sk_test_none")
  const stripeHeader = ofStripe.generateTestHeaderString({ payload: text, secret: secrets })

  const ours: Check = async (body) => {
    const result = await verify({ body, headers, secrets })
    return result.ok ? result.event.payload : Promise.reject(new Error(result.reason))
  }
  const oursUnparsed: Check = async (body) => {
    const result = await verifySignature({ body, headers, secrets })
    return result.ok ? result.id : Promise.reject(new Error(result.reason))
  }
  const parsing = { does: "signature, time, parsed JSON", ours }
  const checking = { does: "signature and time alone", ours: oursUnparsed }
  return [
    { other: "standardwebhooks", ...parsing, theirs: (body) => standard.verify(body, headers), goal: 1.5 },
    { other: "svix", ...checking, theirs: (body) => ofSvix.verify(body, headers), goal: 1.5 },
    {
      other: "svix, then JSON.parse",
      ...parsing,
      theirs: (body) => {
        ofSvix.verify(body, headers)
        return JSON.parse(body.toString())
      },
      goal: undefined
    },
    {
      other: "stripe, header check",
      ...checking,
      theirs: (body) => ofStripe.signature?.verifyHeader(body, stripeHeader, secrets),
      goal: 0.9
    },
    {
      other: "stripe, constructEvent",
      ...parsing,
      theirs: (body) => ofStripe.constructEvent(body, stripeHeader, secrets),
      goal: undefined
    }
  ]
}

/** Rejects if a check of any pair refuses the body, or accepts it with one digit changed. */
export const assertSound = async (pairs: ReadonlyArray<Pair>, text: string): Promise<void> => {
  const forged = text.replace("2500.5", "9500.5")
  for (const { ours, other, theirs } of pairs) {
    for (const check of [ours, theirs]) {
      for (const form of [Buffer.from, String]) {
        await check(form(text))
        const believed = await Promise.resolve()
          .then(() => check(form(forged)))
          .then(
            () => true,
            () => false
          )
        if (believed) throw new Error(`The pair with ${other} is not worth measuring: a forged body was believed`)
      }
    }
  }
}
