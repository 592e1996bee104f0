import { expect, it } from "vitest"
import { LinkedUserNotFound, VerificationConsentRequired, VerificationNotFound } from "../src/index.js"
import { makeClient, makeService } from "./Service.js"

const service = makeService()

it("a person is verified once under one key, and the verification is read again", async () => {
  const client = await makeClient(service)
  const { userId } = await client.testHelpers.createConsumer()
  const submit = () =>
    client.verifications.submit(
      {
        user_id: userId,
        kind: "bvn",
        id: "22222222222",
        verification_consent: true,
        validation: { first_name: "Ada", last_name: "Obi", date_of_birth: "1990-01-01" }
      },
      { idempotencyKey: "kyc-1" }
    )
  const verification = await submit()
  expect(verification).toMatchObject({ status: "VERIFIED", checks: { first_name: "MATCH", selfie: "NOT_CHECKED" } })
  expect((await submit().withReply()).replayed).toBe(true)
  expect(await client.verifications.get(verification.reference)).toEqual(verification)
  expect(await client.verifications.waitFor(verification.reference)).toEqual(verification)
  expect(await client.verifications.list().take(5)).toEqual([verification])
  const none = client.verifications.submitCode("kyc_01k7wqab4ye0r8m5n7p9t1v3xz", { code: "1234" })
  await expect(none).rejects.toBeInstanceOf(VerificationNotFound)
})

it("a verification without consent, or without a person, is refused by its code; the number is in no error", async () => {
  const client = await makeClient(service)
  const number = "22222222222"
  const nobody = { service_id: "SR1-ABCD-EFGH-Q", kind: "bvn", id: number, verification_consent: true } as const
  const error: unknown = await client.verifications.submit(nobody).catch((it: unknown) => it)
  expect(error).toBeInstanceOf(LinkedUserNotFound)
  expect(`${error} ${JSON.stringify(error)}`).not.toContain(number)
  const without: object = { ...nobody, verification_consent: false }
  const refused = Reflect.apply(client.verifications.submit, undefined, [without])
  await expect(refused).rejects.toBeInstanceOf(VerificationConsentRequired)
})
