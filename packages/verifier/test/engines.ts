import { type Hmac, nodeHmac, webHmac } from "../src/signature/Hmac.js"

const accelerated = nodeHmac()
if (accelerated === undefined)
  throw new Error("This runtime has no node:crypto, so half of what is tested here could not run")

/** Both implementations of HMAC-SHA256, by name. They must give the same results. */
export const engines: ReadonlyArray<readonly [name: string, hmac: Hmac]> = [
  ["node:crypto", accelerated],
  ["WebCrypto", webHmac()]
]
