import type { HandlerOptions, WebhookEvent } from "../../../src/index.js"
import type { Case, Subject } from "./Case.js"
import { bytes, delivery } from "./delivery.js"
import { equal } from "./equal.js"

const url = "https://shop.example/webhooks"

const setUp = (subject: Subject, options: Partial<HandlerOptions> = {}) => {
  const secrets = subject.newSecret()
  const ran: Array<string> = []
  const onEvent = (event: WebhookEvent) => {
    ran.push(event.id)
  }
  const signed = (id: string) => delivery(subject, { secrets, id, timestamp: new Date() })
  const request = async (id = "event_1") => {
    const { body, headers } = await signed(id)
    return new Request(url, { method: "POST", body, headers })
  }
  return { ran, request, signed, handler: subject.createHandler({ secrets, onEvent, onError: () => {}, ...options }) }
}

const gate = () => {
  let isOpen = false
  let resolve = () => {}
  const opened = new Promise<void>((resolveOpened) => {
    resolve = resolveOpened
  })
  const open = () => {
    isOpen = true
    resolve()
  }
  return { opened, open, isOpen: () => isOpen }
}

export const handlerCases: ReadonlyArray<Case> = [
  {
    name: "a web request is worked on once, and a repeated one is answered as a duplicate",
    run: async (subject) => {
      const { handler, ran, request } = setUp(subject)
      const first = await handler(await request())
      equal(
        [first.status, first.headers.get("content-type"), await first.json()],
        [200, "application/json", { outcome: "processed" }]
      )
      equal(await (await handler(await request())).json(), { outcome: "duplicate" })
      equal(ran, ["event_1"])
    }
  },
  {
    name: "of fifty deliveries of one event at the same moment one is worked on",
    run: async (subject) => {
      const { handler, ran, request } = setUp(subject)
      const requests = await Promise.all(Array.from({ length: 50 }, () => request()))
      const statuses = (await Promise.all(requests.map((each) => handler(each)))).map(({ status }) => status)
      equal(ran, ["event_1"])
      equal(statuses.every((status) => status === 200 || status === 503) && statuses.includes(200), true)
    }
  },
  {
    name: "an event that is being worked on is answered 503 with Retry-After",
    run: async (subject) => {
      const [started, work] = [gate(), gate()]
      const onEvent = () => {
        // If the second delivery also runs `onEvent`, both runs end, so that the case fails instead of hanging.
        if (started.isOpen()) work.open()
        started.open()
        return work.opened
      }
      const { handler, request } = setUp(subject, { onEvent })
      const first = handler(await request())
      await started.opened
      const second = await handler(await request())
      equal([second.status, second.headers.get("retry-after")], [503, "5"])
      work.open()
      equal((await first).status, 200)
    }
  },
  {
    name: "work that throws is answered 500 and runs when the event comes again",
    run: async (subject) => {
      let attempts = 0
      const onEvent = () => {
        attempts += 1
        if (attempts === 1) throw new Error("no stock")
      }
      const { handler, request } = setUp(subject, { onEvent })
      equal([(await handler(await request())).status, (await handler(await request())).status, attempts], [500, 200, 2])
    }
  },
  {
    name: "what is forged is answered 400 with its reason, and nothing runs",
    run: async (subject) => {
      const { handler, ran, signed } = setUp(subject)
      const { body, headers } = await signed("event_1")
      const forged = new Request(url, { method: "POST", headers, body: body.replace("2500.5", "9500.5") })
      const response = await handler(forged)
      const { reason } = JSON.parse(await response.text())
      equal([response.status, reason, ran], [400, "signature_mismatch", []])
    }
  },
  {
    name: "anything but POST is answered 405, and a body beyond its bound 413",
    run: async (subject) => {
      const { handler, request } = setUp(subject, { maxBodyBytes: 100 })
      const get = await handler(new Request(url))
      equal([get.status, get.headers.get("allow"), (await handler(await request())).status], [405, "POST", 413])
    }
  },
  {
    name: "a request that something has read before is said to be so",
    run: async (subject) => {
      const reasons: Array<string> = []
      const { handler, request } = setUp(subject, { onRefused: ({ reason }) => reasons.push(reason) })
      const used = await request()
      await used.text()
      equal([(await handler(used)).status, reasons], [500, ["body_not_raw"]])
    }
  },
  {
    name: "a body may come as bytes, as text, and in pieces of any size",
    run: async (subject) => {
      const { handler, signed } = setUp(subject)
      const { body, headers } = await signed("event_1")
      const pieces = async function* () {
        for (const byte of bytes(body)) yield Uint8Array.of(byte)
      }
      const outcomes = []
      for (const each of [pieces(), bytes(body), body])
        outcomes.push((await handler.receive({ headers, body: each })).outcome)
      equal(outcomes, ["processed", "duplicate", "duplicate"])
    }
  },
  {
    name: "a web request's stream is read to its end, also in pieces",
    run: async (subject) => {
      const { handler, signed } = setUp(subject)
      const { body, headers } = await signed("event_1")
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const byte of bytes(body)) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        }
      })
      const response = await handler(new Request(url, { method: "POST", headers, body: stream, ...halfDuplex }))
      equal(await response.json(), { outcome: "processed" })
    }
  }
]

/** Required by the Fetch standard for a request whose body is a stream. */
const halfDuplex: object = { duplex: "half" }
