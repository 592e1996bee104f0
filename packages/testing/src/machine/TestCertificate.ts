import { generateKeyPairSync, sign } from "node:crypto"
import { isIP } from "node:net"

/** A self-signed certificate and its private key, in PEM. Each call to `testCertificate` makes a new pair. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...contents: ReadonlyArray<Uint8Array>) => der(0x30, ...contents)
const set = (...contents: ReadonlyArray<Uint8Array>) => der(0x31, ...contents)
const integer = (value: number) => der(0x02, Buffer.of(value))
const bitString = (content: Uint8Array) => der(0x03, Buffer.of(0), content)
const objectId = (...bytes: ReadonlyArray<number>) => der(0x06, Buffer.from(bytes))

const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const commonName = objectId(0x55, 0x04, 0x03)
const subjectAltName = objectId(0x55, 0x1d, 0x11)

const time = (at: number) => der(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]|\..*/gu, "")}Z`))

const altName = (host: string): Buffer => {
  if (isIP(host) === 4) return der(0x87, Buffer.from(host.split(".").map(Number)))
  return der(0x82, Buffer.from(host))
}

/** Makes an X.509 certificate for these names and IPv4 addresses. It expires in an hour. */
export const testCertificate = (...hosts: ReadonlyArray<string>): TestCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(set(sequence(commonName, der(0x0c, Buffer.from("test receiver")))))
  const alternatives = sequence(subjectAltName, der(0x04, sequence(...hosts.map(altName))))
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - 60_000), time(Date.now() + 3_600_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(alternatives))
  )
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bitString(sign("sha256", toBeSigned, privateKey)))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
