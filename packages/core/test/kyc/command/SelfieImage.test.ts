import { assert, describe, it } from "@effect/vitest"
import { isImage } from "@surety/core/kyc/command/SelfieImage"
import { Base64 } from "effect/encoding"

const bytes = (head: ReadonlyArray<number>, length: number) => {
  const image = new Uint8Array(length).fill(0x5a)
  image.set(head)
  return image
}

const jpeg = Base64.encode(bytes([0xff, 0xd8, 0xff, 0xe0], 100))
const png = Base64.encode(bytes([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 101))
const webp = Base64.encode(bytes([0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50], 102))

describe("A selfie", () => {
  it("is an image in base 64: JPEG, PNG or WebP, bare or as a data URI", () => {
    for (const image of [jpeg, png, webp]) {
      assert.isTrue(isImage(image))
      assert.isTrue(isImage(`data:image/jpeg;base64,${image}`))
      assert.isTrue(isImage(`DATA:image/png;BASE64,${image}`))
    }
  })

  it("may be broken into lines, as command-line tools do", () => {
    assert.isTrue(isImage(`${jpeg.replace(/.{76}/gu, "$&\n")}\n`))
    assert.isTrue(isImage(jpeg.replace(/.{76}/gu, "$&\r\n")))
  })

  it("is no other file, no text, and no image with something in it that base 64 does not have", () => {
    const gif = Base64.encode(bytes([0x47, 0x49, 0x46, 0x38], 100))
    const riff = Base64.encode(bytes([0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x41, 0x56, 0x45], 102))
    for (const text of [gif, riff, "", "hello", "data:image/jpeg;base64,", `data:text/plain;base64,${jpeg}`]) {
      assert.isFalse(isImage(text), text.slice(0, 40))
    }
    for (const wrong of ["*", " ", "é", "=", "\u0000"]) {
      assert.isFalse(isImage(`${jpeg.slice(0, 60)}${wrong}${jpeg.slice(60)}`), wrong)
    }
    assert.isFalse(isImage(`${jpeg}====`))
  })

  it("of 12,000,000 characters is read in place", () => {
    const large = jpeg.slice(0, 16) + "A".repeat(12_000_000 - 16)
    assert.isTrue(isImage(large))
    assert.isFalse(isImage(`${large.slice(0, -1)}!`))
  })
})
