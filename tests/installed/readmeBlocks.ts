import type { PackedPackage } from "./PackedPackage.js"

export const readmeBlocks = ({ read }: PackedPackage): ReadonlyArray<string> =>
  Array.from(
    read("README.md").matchAll(/^```ts(?: [a-z]+)?\n(?<code>.*?)^```$/gmsu),
    ({ groups }) => groups?.code ?? ""
  )
