import type {} from "@surety/testing/vitest/globalSetup"
import { Client } from "pg"
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from "vitest"
import type { Claim, DedupeStore } from "../../src/DedupeStore.js"
import { createHandler } from "../../src/index.js"
import { newSecret, samplePayloads, sign } from "../../src/testing.js"
import { type Merchant, makeMerchant } from "./Merchant.js"
import { blockWith } from "./Readme.js"

const name = "verifier_readme"
let merchant: Merchant
let client: Client
let readmes: { readonly store: DedupeStore; readonly close: () => Promise<void> }

beforeAll(async () => {
  const server = new Client({ connectionString: inject("pgUrl") })
  await server.connect()
  await server.query(`create database ${name}`)
  await server.end()
  const url = new URL(inject("pgUrl"))
  url.pathname = `/${name}`
  client = new Client({ connectionString: url.href })
  await client.connect()
  await client.query(blockWith("create table").code)
  vi.stubEnv("DATABASE_URL", url.href)
  merchant = await makeMerchant()
  readmes = (await merchant.load("store.ts")) as unknown as typeof readmes
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await readmes.close()
  await client.end()
  await merchant.remove()
})
beforeEach(() => client.query("truncate webhook_events"))

const claimed = async (id: string): Promise<Extract<Claim, { state: "claimed" }>> => {
  const claim = await readmes.store.claim(id)
  return claim.state === "claimed" ? claim : expect.fail(`${id} is ${claim.state}`)
}
const state = async (id: string) => (await readmes.store.claim(id)).state

it("gives an event to one of fifty at the same moment", async () => {
  const states = await Promise.all(Array.from({ length: 50 }, () => state("event_1")))
  expect(states.toSorted()).toEqual(["claimed", ...Array.from({ length: 49 }, () => "running")])
})

it("gives an event that was released to the next, and remembers one that was completed", async () => {
  await (await claimed("event_1")).release()
  await (await claimed("event_1")).complete()
  expect([await state("event_1"), await state("event_2")]).toEqual(["completed", "claimed"])
})

it("lets another take over a claim that has ended, and then the first can no longer release it", async () => {
  const lost = await claimed("event_1")
  await client.query("update webhook_events set claimed_until = now()")
  const second = await claimed("event_1")
  await lost.release()
  expect(await state("event_1")).toBe("running")
  await second.complete()
  await lost.release()
  expect(await state("event_1")).toBe("completed")
})

it("remembers a completion that comes after another's claim was released", async () => {
  const slow = await claimed("event_1")
  await client.query("update webhook_events set claimed_until = now()")
  await (await claimed("event_1")).release()
  await slow.complete()
  expect(await state("event_1")).toBe("completed")
})

it("remembers a completion during another's claim, which that one's release leaves", async () => {
  const slow = await claimed("event_1")
  await client.query("update webhook_events set claimed_until = now()")
  const second = await claimed("event_1")
  await slow.complete()
  await second.release()
  expect(await state("event_1")).toBe("completed")
})

it("makes handlers in two processes work on an event once", async () => {
  const secrets = newSecret()
  const onEvent = vi.fn()
  const handlers = [1, 2].map(() => createHandler({ secrets, store: readmes.store, onEvent }))
  const payload = samplePayloads["refund.completed"]
  const delivery = await sign({ secrets, topic: "refund.completed", payload })
  const answers = await Promise.all([...handlers, ...handlers].map((handler) => handler.receive(delivery)))
  expect(answers.map(({ outcome }) => outcome)).toContain("processed")
  expect(onEvent).toHaveBeenCalledTimes(1)
  expect((await handlers[0]?.receive(delivery))?.outcome).toBe("duplicate")
})
