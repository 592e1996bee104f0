/**
 * Script of the page that checks receipts: plain JavaScript for the browser, without network access. Accepts receipts
 * and a JWK set (RFC 7517). Receipts may come as a download, a bare JWS (RFC 7515) or a list from the API. For each
 * genuine receipt, lists only signed values.
 */
export const checkScript = `"use strict"
const at = (id) => document.getElementById(id)
const utf8 = new TextDecoder("utf-8", { fatal: true })

class Fault extends Error {}
const must = (holds, why) => { if (!holds) throw new Fault(why) }

const bytesOf = (text) => {
  must(/^[A-Za-z0-9_-]+$/.test(text), "A part of the signature is not base64url.")
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))
}
const jsonOf = (text, what) => {
  try { return JSON.parse(text) } catch { throw new Fault(what + " is not JSON.") }
}
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

// Each signature of the text, with the readable receipt beside it, if there is one.
const signaturesIn = (text) => {
  const trimmed = text.trim()
  if (/^[\\w-]+\\.[\\w-]+\\.[\\w-]+$/.test(trimmed)) return [{ jws: trimmed }]
  const value = jsonOf(trimmed, "The receipt")
  const found = (isRecord(value) && Array.isArray(value.data) ? value.data : [value]).map((one) => {
    must(isRecord(one) && typeof one.jws === "string", "The file has no signature (jws).")
    const { jws, ...rest } = one
    return { jws, beside: "receipt" in rest && "chain" in rest ? rest : undefined }
  })
  must(found.length > 0, "The file has no receipt.")
  return found
}

const check = async ({ beside, jws }, keys) => {
  const parts = jws.split(".")
  must(parts.length === 3, "The signature does not have three parts.")
  const header = jsonOf(utf8.decode(bytesOf(parts[0])), "The signature's header")
  must(isRecord(header) && header.alg === "EdDSA" && header.typ === "consent-receipt+jws" && !("crit" in header),
    "The signature is not one of a consent receipt.")
  const key = keys.find((one) => isRecord(one) && one.kid === header.kid && one.kty === "OKP" && one.crv === "Ed25519")
  must(key !== undefined, "None of the keys made this signature. Its key is " + String(header.kid) + ".")
  const imported = await crypto.subtle.importKey("raw", bytesOf(String(key.x)), { name: "Ed25519" }, false, ["verify"])
  const signed = new TextEncoder().encode(parts[0] + "." + parts[1])
  must(await crypto.subtle.verify("Ed25519", imported, bytesOf(parts[2]), signed), "The signature does not fit the text.")
  const payload = jsonOf(utf8.decode(bytesOf(parts[1])), "The signed text")
  must(isRecord(payload) && isRecord(payload.receipt) && isRecord(payload.chain), "The signed text is no receipt.")
  must(beside === undefined || JSON.stringify(beside) === JSON.stringify(payload),
    "The readable text of this file was changed. It is not what was signed.")
  return { ...payload, kid: String(header.kid) }
}

const element = (name, text, className) => {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  if (className !== undefined) made.className = className
  return made
}
const textOf = (value) => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))

const shown = ({ chain, kid, receipt }) => {
  const events = Array.isArray(receipt.events) ? receipt.events : []
  const facts = [
    ...events.map((event) => [textOf(event.state), textOf(event.time) + (event.validUntil ? ", until " + textOf(event.validUntil) : "")]),
    ["Business", textOf(receipt.controller && receipt.controller.legalName)],
    ["Customer number", textOf(receipt.principal && receipt.principal.serviceId)],
    ["Details", Array.isArray(receipt.dataFields) ? receipt.dataFields.map(textOf).join(", ") : textOf(receipt.verification)],
    ["Purpose", textOf(receipt.purpose)],
    ["Receipt", textOf(receipt.receiptId)],
    ["Environment", textOf(receipt.environment)],
    ["Place in the chain", textOf(chain.sequence)],
    ["Signing key", kid]
  ]
  const list = element("dl")
  for (const [name, value] of facts) list.append(element("dt", name), element("dd", value))
  return list
}

let receipt
let own
let turn = 0
const platforms = JSON.parse(at("keys").textContent).keys

const show = async () => {
  turn += 1
  const mine = turn
  at("which").textContent = own === undefined
    ? "Checked with the " + platforms.length + " key(s) in this page."
    : "Checked with the " + own.length + " key(s) of your file."
  if (receipt === undefined) return
  const blocks = []
  try {
    for (const one of signaturesIn(receipt)) {
      try {
        const proven = await check(one, own ?? platforms)
        blocks.push(element("p", "Genuine. The signature fits.", "yes"), shown(proven))
      } catch (error) {
        if (error instanceof Fault) blocks.push(element("p", "Not genuine. " + error.message, "no"))
        else if (error instanceof DOMException && error.name === "NotSupportedError") {
          blocks.push(element("p", "Not checked. This browser does not know Ed25519. Use a newer one.", "no"))
        } else blocks.push(element("p", "Not genuine. The file cannot be read.", "no"))
      }
    }
  } catch (error) {
    blocks.push(element("p", "Not genuine. " + (error instanceof Fault ? error.message : "The file cannot be read."), "no"))
  }
  if (mine === turn) at("result").replaceChildren(...blocks)
}

const longest = 1000000
const take = (given) => {
  const text = given.length > longest ? "" : given
  try {
    const value = JSON.parse(text)
    if (isRecord(value) && Array.isArray(value.keys)) {
      own = value.keys
      return
    }
  } catch {}
  receipt = text
  at("text").value = text
}
const takeAll = async (files) => {
  for (const file of files) take(file.size > longest ? "" : await file.text())
  await show()
}

at("files").addEventListener("change", (event) => void takeAll(event.target.files))
at("text").addEventListener("input", (event) => { take(event.target.value); void show() })
addEventListener("dragover", (event) => event.preventDefault())
addEventListener("drop", (event) => { event.preventDefault(); void takeAll(event.dataTransfer.files) })
void show()
`
