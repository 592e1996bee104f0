import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createSurety, memoryStore, unwrap } from "@surety/embed"
import { assert, it } from "vitest"
import { application, secretsKey } from "./Shop.js"

it("one round sends every merchant's events, although one merchant's events fail", async () => {
  const sent = new Map<string, number>()
  let failing = ""
  const receiver = createServer((request, response) => {
    request.resume()
    const merchant = String(request.headers["x-service-merchant"])
    if (merchant !== failing) sent.set(merchant, (sent.get(merchant) ?? 0) + 1)
    response.writeHead(merchant === failing ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const { port } = receiver.address() as AddressInfo
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const platformEvents = { url: `http://127.0.0.1:${port}/`, secret }
  const surety = await createSurety({ store: memoryStore(), secretsKey, targets: "any", platformEvents })
  try {
    await surety.workers.runOnce()
    const merchants = []
    for (const name of ["Failing", "Sound"]) {
      const merchant = unwrap(await surety.merchants.create({ ...application, name }))
      merchants.push(merchant.id)
      failing ||= merchant.id
      for (let index = 0; index < 50; index += 1) {
        unwrap(await surety.payments.record({ merchantId: merchant.id, environment: "TEST", amount: 1 }))
      }
    }
    await surety.workers.runOnce()
    assert.isAtLeast(sent.get(merchants[1] ?? "") ?? 0, 50)
    assert.isUndefined(sent.get(failing))
  } finally {
    await surety.close()
    await new Promise((resolve) => receiver.close(resolve))
  }
})
