import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "vitest"
import { makeSurety } from "./Shop.js"

/**
 * Returns the value of a series, or 0 if the text lacks it. All tests in this process share the registry, so the value
 * includes their counts.
 */
const valueIn = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? 0
  )

it("A host reads how many requests both handlers answered, by route", async () => {
  const surety = await makeSurety({ basePath: "/pay" })
  const before = await surety.metrics()
  assert.strictEqual((await surety.handler(new Request("http://shop.example/pay/v1/whoami"))).status, 401)
  await surety.handler(new Request("http://shop.example/pay/consent/a-person's-link"))
  const server = createServer(surety.nodeHandler).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await fetch(`http://127.0.0.1:${port}/pay/v1/whoami`)
  await fetch(`http://127.0.0.1:${port}/pay/of-a-host`)
  server.close()
  const text = await surety.metrics()
  for (const [series, count] of [
    ['surety_http_requests_total{method="GET",route="/v1/whoami",status="401"}', 2],
    ['surety_http_requests_total{method="GET",route="/consent/:token",status="404"}', 1],
    ['surety_http_requests_total{method="GET",route="unmatched",status="404"}', 1],
    ['surety_http_request_duration_seconds_count{method="GET",route="/v1/whoami",status_class="4xx"}', 2]
  ] as const) {
    assert.strictEqual(valueIn(text, series) - valueIn(before, series), count, series)
  }
  assert.notMatch(text, /a-person|of-a-host/)
})
