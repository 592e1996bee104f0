// A club's server on Hono with its own consent page. Records are stored in memory, so they are lost on exit.
//
//   PORT=3000 npx pnpm --filter ./examples/embed-hono start
import { randomBytes } from "node:crypto"
import { serve } from "@hono/node-server"
import { memoryStore } from "@surety/embed"
import { createApp } from "./app.ts"
import { introduce, openSurety } from "./club.ts"

const port = Number(process.env.PORT ?? 3000)
const origin = `http://127.0.0.1:${port}`
const surety = await openSurety(memoryStore(), randomBytes(32).toString("base64"), origin)
await surety.workers.start()
const { apiKey, serviceId } = await introduce(surety)

const server = serve({ fetch: createApp(surety).fetch, port, hostname: "127.0.0.1" }, () => {
  console.log(`club listening on ${origin}

Ask member-1 for data, as the partner does, and open the consentUrl of the answer:

  curl -X POST ${origin}/pay/v1/data-requests -H "authorization: Bearer ${apiKey}" \\
    -H "idempotency-key: ask-1" -H "content-type: application/json" \\
    -d '{"service_id":"${serviceId}","requested_fields":["display_name","points"],"purpose":"A seat in the front row."}'

Then read what was allowed:

  curl "${origin}/pay/v1/identity?service_id=${serviceId}" -H "authorization: Bearer ${apiKey}"`)
})

// Open requests may still need Surety, so it closes last.
const stop = () => server.close(() => surety.close())
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)
