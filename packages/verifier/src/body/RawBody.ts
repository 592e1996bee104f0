import { utf8 } from "../signature/utf8.js"

/** The body exactly as received. A string stands for its UTF-8 bytes. */
export type RawBody = Uint8Array | ArrayBuffer | string

/** Returns the bytes of a raw body, or `undefined` for anything else. Binary input is not copied. */
export const toBytes = (body: unknown): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof body === "string") return utf8(body)
  if (isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  return isArrayBuffer(body) ? new Uint8Array(body) : undefined
}

// `instanceof` would fail for bytes from another realm, such as those from a test runner.
const isView = (body: unknown): body is ArrayBufferView<ArrayBuffer> => ArrayBuffer.isView(body)

const isArrayBuffer = (body: unknown): body is ArrayBuffer =>
  Object.prototype.toString.call(body) === "[object ArrayBuffer]"

/** Explains why a missing, empty or parsed body cannot be verified, and how to get the raw body. */
export const bodyFault = (body: unknown): string =>
  `The body is ${body === undefined || body === null ? "missing" : toBytes(body) ? "empty: other code has already read it" : `a parsed ${typeof body}; the signature covers the bytes as sent`}. ` +
  "Pass the raw body. " +
  'Express: express.raw({ type: "application/json" }) on this route, before express.json(); then req.body. ' +
  'Fastify: addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body)); then request.body. ' +
  "Hono: await c.req.arrayBuffer(). " +
  "Next.js: await request.arrayBuffer() in a route handler; in pages/api, bodyParser: false and read the stream. " +
  "NestJS: NestFactory.create(AppModule, { rawBody: true }); then req.rawBody. " +
  'AWS Lambda: Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8").'
