import { topics } from "@surety/core/event/DomainEvent"
import { eventTypes } from "@surety/core/event/EventTypes"
import { expect, it } from "vitest"
import { payloadsText, samplesText } from "./generated.js"

it.each([
  ["Payloads.generated.ts", payloadsText],
  ["samplePayloads.generated.ts", samplesText]
] as const)("%s is what the topics of the service say", async (file, text) => {
  await expect(text()).toMatchFileSnapshot(`../src/${file}`)
})

it("no topic's payload has another one's mark", async () => {
  const { marks } = await import("../src/Payloads.generated.js")
  for (const topic of topics) {
    const marked = topics.filter((other) => marks[other](eventTypes[topic].example))
    expect(marked).toEqual([topic])
  }
})
