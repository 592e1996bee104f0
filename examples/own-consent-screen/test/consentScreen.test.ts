import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeApp } from "../src/app.ts"
import { ask, layer } from "../src/world.ts"

const runtime = ManagedRuntime.make(layer)
const app = makeApp(runtime)
let url = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve))
  const address = app.address()
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`
})

afterAll(async () => {
  app.close()
  await runtime.dispose()
})

const as = (userId: string) => ({ cookie: `session=${userId}` })
const look = async (userId: string) => (await fetch(url, { headers: as(userId) })).text()
const act = (userId: string, form: ReadonlyArray<readonly [string, string]>) =>
  fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: as(userId),
    body: new URLSearchParams(form.map(([name, value]): [string, string] => [name, value]))
  })
const idIn = (page: string) => /name="id" value="(\w+)"/.exec(page)?.[1] ?? ""

const question = async () => {
  const { person, scope } = await runtime.runPromise(ask("Ada Obi", ["display_name", "email"]))
  const read = () =>
    runtime.runPromise(
      Effect.flatMap(IdentityReads, (reads) => reads.read(scope, { serviceId: person.serviceId })).pipe(
        Effect.match({ onFailure: ({ _tag }) => [_tag], onSuccess: ({ fields }) => Object.keys(fields).sort() })
      )
    )
  return { person, read, id: idIn(await look(person.userId)) }
}

describe("a platform's own consent screen", () => {
  it("shares what was ticked, and takes it back", async () => {
    const { id, person, read } = await question()
    expect(await read()).toEqual(["ConsentRequired"])
    expect(
      (
        await act(person.userId, [
          ["do", "approve"],
          ["id", id],
          ["fields", "email"]
        ])
      ).status
    ).toBe(303)
    expect(await read()).toEqual(["email", "service_id"])
    const grant = idIn(await look(person.userId))
    expect(
      (
        await act(person.userId, [
          ["do", "revoke"],
          ["id", grant]
        ])
      ).status
    ).toBe(303)
    expect(await read()).toEqual(["ConsentRequired"])
  })

  it("ticks nothing beforehand, and says what is missing", async () => {
    const { id, person } = await question()
    expect(await look(person.userId)).not.toContain("checked")
    const refused = await act(person.userId, [
      ["do", "approve"],
      ["id", id]
    ])
    expect([refused.status, await refused.text()]).toEqual([409, "Tick at least one field, or share nothing."])
  })

  it("lets no one decide for another person", async () => {
    const { id, person, read } = await question()
    const other = await question()
    const refused = await act(other.person.userId, [
      ["do", "approve"],
      ["id", id],
      ["fields", "email"]
    ])
    expect([refused.status, await refused.text()]).toEqual([409, "Request not found."])
    expect(await read()).toEqual(["ConsentRequired"])
    expect((await fetch(url)).status).toBe(401)
    expect(
      (
        await act(person.userId, [
          ["do", "not_me"],
          ["id", id]
        ])
      ).status
    ).toBe(303)
    const late = await act(person.userId, [
      ["do", "deny"],
      ["id", id]
    ])
    expect([late.status, await late.text()]).toEqual([409, "That was answered already."])
  })
})
