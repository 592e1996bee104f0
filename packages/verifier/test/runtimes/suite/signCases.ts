import type { Case } from "./Case.js"
import { now } from "./delivery.js"
import { equal } from "./equal.js"

export const signCases: ReadonlyArray<Case> = [
  {
    name: "sign makes every header that the service sends",
    run: async ({ newSecret, samplePayloads, sign }) => {
      const { headers } = await sign({
        secrets: newSecret(),
        topic: "transaction.settled",
        payload: samplePayloads["transaction.settled"],
        timestamp: now,
        environment: "LIVE",
        attempt: 3
      })
      const {
        "webhook-signature": signature = "",
        "X-Service-Signature": plain = "",
        "X-Service-Sequence": sequence = "",
        ...others
      } = headers
      const { "webhook-id": id = "", ...constant } = others
      equal(/^event_[0-7][0-9a-hjkmnp-tv-z]{25}$/u.test(id), true, id)
      equal([/^v1,[A-Za-z0-9+/]{43}=$/u.test(signature), /^[0-9a-f]{64}$/u.test(plain)], [true, true])
      equal(/^[0-9a-f]{56}$/u.test(sequence), true, sequence)
      equal(constant, {
        "content-type": "application/json",
        "user-agent": "Service-Webhooks/1.0",
        "X-Service-Event": "transaction.settled",
        "X-Service-Event-Id": id,
        "X-Service-Event-Version": "1",
        "X-Service-Environment": "LIVE",
        "X-Service-Delivery-Attempt": "3",
        "webhook-timestamp": String(now.getTime() / 1000)
      })
    }
  },
  {
    name: "new secrets and new event ids are of the issued form, each another",
    run: async ({ newSecret, sign }) => {
      const secrets = new Set(Array.from({ length: 50 }, newSecret))
      equal([secrets.size, [...secrets].every((each) => /^whsec_[A-Za-z0-9+/]{43}=$/u.test(each))], [50, true])
      const ids = new Set<string | undefined>()
      for (const each of secrets) {
        ids.add((await sign({ secrets: each, topic: "any.topic", payload: "{}" })).headers["webhook-id"])
      }
      equal(ids.size, 50)
    }
  },
  {
    name: "sign refuses a secret of another form",
    run: async ({ sign }) => {
      const refused = await sign({ secrets: "secret", topic: "any.topic", payload: "{}" }).then(
        () => "signed",
        (error: Error) => error.name
      )
      equal(refused, "TypeError")
    }
  }
]
