export interface HostileValue<A = string> {
  readonly name: string
  readonly value: A
}

const named = (values: ReadonlyArray<string>): ReadonlyArray<HostileValue> =>
  values.map((value) => ({ name: value.length > 40 ? `${value.slice(0, 40)}… (${value.length})` : value, value }))

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)

/** JSON values as strings, because JavaScript cannot represent some of them. */
export const jsonTexts: ReadonlyArray<HostileValue> = named([
  ...["null", "true", "false", "[]", "{}", "[null]", "[[]]", "[{}]", '{"0":0}'],
  ...["0", "-0", "1", "-1", "0.5", "1e300", "-1e300", "1e-300", "1e999", "-1e999", "1E+2", "0.000000000000000000001"],
  ...["12345678901234567", "0.12345678901234567", "9007199254740993", "999999999999999.99", "99999999999999999999999"],
  ...['""', '" "', '"\\u00a0"', '"a"', '"1"', '"NaN"', '"null"', '"-0"', '"1e300"', '"true"'],
  ...[
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"a\\udfff"',
    '"\\ufeffa"',
    '"\\u202eevil"',
    '"\\u0007"'
  ],
  ...['"__proto__"', '"constructor"', '"toString"', '"hasOwnProperty"', '"#{7*7}"', '"%00"', '"%s%n"'],
  ...[
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"toString":1,"length":9}'
  ],
  ...['"\' or 1=1 --"', '"\\"; drop table refund; --"', '"../../../etc/passwd"', '"<script>alert(1)</script>"'],
  ...[
    '"2026-13-45T99:99:99.999Z"',
    '"0000-00-00"',
    '"+275760-09-14T00:00:00Z"',
    '"http://[::1"',
    '"javascript:alert(1)"'
  ],
  ...[JSON.stringify("a".repeat(10_000)), JSON.stringify("é".repeat(5_000)), JSON.stringify("😀".repeat(1_000))],
  ...[JSON.stringify("1".repeat(400)), `[${"1,".repeat(2_000)}1]`, `[${'"a",'.repeat(500)}"a"]`],
  ...[nested("[", "]", 40), `${'{"a":'.repeat(40)}1${"}".repeat(40)}`]
])

const encoder = new TextEncoder()

const bytesOf = (text: string): Uint8Array => encoder.encode(text)

const utf16 = (text: string): Uint8Array => new Uint8Array(Uint16Array.from(text, (unit) => unit.charCodeAt(0)).buffer)

/** Encodes JSON as UTF-8, with invalid bytes at the start of its first string. */
const invalidUtf8 = (text: string): Uint8Array => {
  const bytes = bytesOf(text)
  const quote = bytes.indexOf(0x22) + 1
  return Uint8Array.from([...bytes.subarray(0, quote), 0xff, 0xc0, 0x80, ...bytes.subarray(quote)])
}

/** Returns complete hostile request bodies, some of them variations of the valid body `good`. */
export const bodies = (good: string): ReadonlyArray<HostileValue<Uint8Array>> =>
  (
    [
      ["an empty body", bytesOf("")],
      ["white space", bytesOf(" \n\t ")],
      ["null", bytesOf("null")],
      ["a list", bytesOf("[]")],
      ["a number", bytesOf("1e400")],
      ["a text", bytesOf('"{}"')],
      ["half a body", bytesOf(good.slice(0, Math.ceil(good.length / 2)))],
      ["two bodies", bytesOf(good + good)],
      ["a body and more", bytesOf(`${good}x`)],
      ["a NUL after the body", bytesOf(`${good}\u0000`)],
      ["a byte order mark", bytesOf(`\ufeff${good}`)],
      ["UTF-16", utf16(good)],
      ["invalid UTF-8", invalidUtf8(good.includes('"') ? good : '{"a":1}')],
      ["random bytes", Uint8Array.from({ length: 64 }, (_, index) => (index * 151 + 89) % 256)],
      ["a comment", bytesOf(`/* */${good}`)],
      ["NaN", bytesOf('{"amount":NaN}')],
      ["a form", bytesOf("amount=1&reference=x")],
      ["lists, 10,000 deep", bytesOf(nested("[", "]", 10_000))],
      ["objects, 10,000 deep", bytesOf(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)],
      ["lists that never end", bytesOf("[".repeat(100_000))],
      ["10,000 fields", bytesOf(`{${Array.from({ length: 10_000 }, (_, index) => `"f${index}":0`).join(",")}}`)],
      ["a name of 100,000 characters", bytesOf(JSON.stringify({ ["n".repeat(100_000)]: 1 }))],
      ["a number of 100,000 digits", bytesOf(`{"amount":${"9".repeat(100_000)}}`)],
      ["more than may be sent", bytesOf(JSON.stringify({ a: "a".repeat(300_000) }))]
    ] as const
  ).map(([name, value]) => ({ name, value }))

export const urlTexts: ReadonlyArray<HostileValue> = named([
  ...["%20", "%00", "a%00b", "%0d%0aset-cookie:%20a=b", "%ff", "%c0%80", "%ED%A0%80", "%", "%zz", "%F0%9F%98%80"],
  ...["__proto__", "constructor", "toString", "null", "undefined", "true", "NaN", "[]", "%7B%7D", "*"],
  ...["0", "-0", "-1", "1e300", "101", "1.5", "0x10", "9".repeat(40), "12345678901234567"],
  ...["'%20or%201=1%20--", "%22;--", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%3Cscript%3E", "%23%7B7*7%7D", "%25%30%30"],
  ...["a".repeat(256), "a".repeat(600), "a".repeat(3_000), "%F0%9F%98%80".repeat(50)]
])

/** Hostile values for any header. */
export const headerTexts: ReadonlyArray<HostileValue> = named([
  ...["", " ", '""', '"', '"a', 'a"', "a, b", ",", ";", ";;q=", "a;b=c", "é", "\u00ff\u00fe", "\t", "%00"],
  ...["__proto__", "null", "0", "-1", "1e300", "x".repeat(255), "x".repeat(256), "x".repeat(5_000)]
])

/** Headers that servers, proxies and frameworks may act on. */
export const headers: ReadonlyArray<readonly [name: string, value: string]> = [
  ...["text/html", "*/*;q=0", "application/json;q=0", ";;;", "application/*;q=2", "x".repeat(2_000)].map(
    (value) => ["accept", value] as const
  ),
  ["accept-encoding", "gzip;q=nonsense, *;q=0"],
  ["accept-charset", "utf-16"],
  ["cookie", "__proto__=1; ;;; a=b=c"],
  ["expect", "200-ok"],
  ["forwarded", "for=;;;by="],
  ["if-match", "*"],
  ["if-modified-since", "yesterday"],
  ["if-none-match", "*"],
  ["origin", "null"],
  ["range", "bytes=0-0,5-"],
  ["traceparent", "00-zz-zz-zz"],
  ["b3", "0-0-0"],
  ["x-forwarded-for", "x, ,, 999.0.0.1"],
  ["x-forwarded-host", "evil.example"],
  ["x-http-method-override", "DELETE"],
  ["x-original-url", "/operator/merchants"]
]

export const contentTypes: ReadonlyArray<string> = [
  ...["text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
  ...["application/jsonp", "application/json; charset=utf-16", "application/json; charset=", "application/json;;;"],
  ...["application/json; charset=utf-8; charset=latin1", "json", "*/*", ";", "a".repeat(2_000), "application/JSON"],
  ...["application/problem+json", "application/merge-patch+json", "application/octet-stream"]
]

export const contentEncodings: ReadonlyArray<string> = ["gzip", "br", "identity, gzip", "nonsense", "deflate"]
