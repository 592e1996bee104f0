import type { Theme } from "./ConsentPageSettings.js"

/** The form of a theme's value: a single value of a property. */
const oneValue = /^(?!.*url)[\w\s#%.,()'-]+$/iu

const propertiesOf = (theme: Theme): string => {
  for (const [name, value] of Object.entries(theme)) {
    if (!oneValue.test(value)) throw new Error(`The theme's ${name} is "${value}"; it must be one CSS value.`)
  }
  return `:root{--accent:${theme.accent};--accent-text:${theme.accentText};--radius:${theme.radius};--font:${theme.font}}
@media (prefers-color-scheme:dark){:root{--accent:${theme.accentDark};--accent-text:${theme.accentTextDark}}}`
}

/** Sizes in rem, so that they follow the person's settings; on narrow screens columns stack. */
const rules = `
:root{color-scheme:light dark;--text:#17201d;--soft:#4f5b57;--page:#fff;--panel:#f2f5f4;--line:#c6cfcb;--field:#17201d;--danger:#b3261e;--danger-text:#fff;--focus:#ffdd00;--focus-text:#0b0c0c}
@media (prefers-color-scheme:dark){:root{--text:#eef2f0;--soft:#b3bfba;--page:#101614;--panel:#1a2320;--line:#43504b;--field:#eef2f0;--danger:#ff8a80;--danger-text:#3b0907}}
*,*::before,*::after{box-sizing:border-box}
html{font-size:100%;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font-family:var(--font);font-size:1.0625rem;line-height:1.5;overflow-wrap:anywhere}
header,main,footer{inline-size:min(42rem,100% - 2rem);margin-inline:auto}
.bar{border-block-start:.5rem solid var(--accent)}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between;padding-block:.875rem;border-block-end:1px solid var(--line)}
.brand{display:flex;gap:.625rem;align-items:center;margin:0;font-weight:700;font-size:1.125rem;min-width:0}
.brand img{block-size:2rem;inline-size:auto;max-inline-size:8rem}
.languages{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0;padding:0;list-style:none;font-size:1rem}
main{padding-block:1.5rem 3rem}
footer{padding-block:1rem 2rem;border-block-start:1px solid var(--line);color:var(--soft);font-size:.9375rem}
footer p{margin:.25rem 0}
h1{margin:0 0 1rem;font-size:clamp(1.5rem,1.2rem + 1.6vw,2.125rem);line-height:1.2;text-wrap:balance}
h2{margin:2rem 0 .5rem;font-size:1.3125rem;line-height:1.3}
h3{margin:0 0 .5rem;font-size:1.125rem;line-height:1.35}
p{margin:0 0 1rem}
.lead{font-size:1.1875rem}
.soft{color:var(--soft)}
a{color:var(--accent);text-underline-offset:.15em;text-decoration-thickness:max(1px,.0625rem)}
a:hover{text-decoration-thickness:.1875rem}
:focus-visible{outline:.1875rem solid var(--focus-text);outline-offset:0;box-shadow:0 0 0 .375rem var(--focus);border-radius:2px}
a:focus-visible{background:var(--focus);color:var(--focus-text);outline-color:transparent;box-shadow:0 .25rem 0 var(--focus-text);text-decoration:none}
.skip:not(:focus),button.inert{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
button.inert{min-block-size:0;padding:0;border:0}
.skip:focus{display:block;padding:.5rem 1rem;text-align:center}
.test{margin:0 0 1.5rem;padding:.5rem .75rem;border:2px dashed var(--soft);border-radius:var(--radius);font-weight:600}
dl{margin:0 0 1.5rem}
dl>div{display:grid;grid-template-columns:minmax(7rem,12rem) 1fr;gap:0 1rem;padding-block:.625rem;border-block-end:1px solid var(--line)}
dl>div:first-child{border-block-start:1px solid var(--line)}
dt{font-weight:700}
dd{margin:0;min-width:0}
dd ul{margin:0;padding-inline-start:1.125rem}
blockquote{margin:0;white-space:normal}
fieldset{margin:2rem 0 0;padding:0;border:0;min-width:0}
legend{padding:0;margin-block-end:.375rem;font-size:1.3125rem;font-weight:700;line-height:1.3}
.choice{display:grid;grid-template-columns:2.75rem 1fr;align-items:start;padding-block:.625rem;border-block-end:1px solid var(--line)}
.choice:first-of-type{border-block-start:1px solid var(--line)}
.choice input{appearance:none;-webkit-appearance:none;inline-size:2rem;block-size:2rem;margin:0;border:.125rem solid var(--field);border-radius:2px;background:var(--page);display:grid;place-content:center;cursor:pointer;forced-color-adjust:auto}
.choice input::before{content:"";inline-size:1rem;block-size:.5rem;border:solid var(--page);border-width:0 0 .25rem .25rem;transform:translateY(-.125rem) rotate(-45deg);visibility:hidden}
.choice input:checked{background:var(--field)}
.choice input:checked::before{visibility:visible}
.choice label{font-weight:600;padding-block:.125rem;cursor:pointer}
.choice .hint{grid-column:2;margin:0}
.hint{color:var(--soft);margin:0 0 .75rem}fieldset+.hint{margin-block-start:.75rem}
.note{margin:1.5rem 0;padding:1rem;background:var(--panel);border-inline-start:.3125rem solid var(--accent);border-radius:var(--radius)}
.note>:last-child{margin-block-end:0}
.note h2{margin-block-start:0}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-block:1.5rem}
button,.button{display:inline-block;min-block-size:2.75rem;padding:.5625rem 1.25rem;border:.125rem solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--accent-text);font:inherit;font-weight:700;line-height:1.3;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{filter:brightness(.92)}
button.second{background:transparent;border-color:var(--accent);color:var(--accent)}
button.danger{background:transparent;border-color:var(--danger);color:var(--danger)}
button.danger:hover{background:var(--danger);color:var(--danger-text);filter:none}
.error{margin:0 0 1.5rem;padding:1rem;border:.25rem solid var(--danger);border-radius:var(--radius)}
.error h2{margin:0 0 .375rem}
.error p{margin:0}
.error a,.wrong{color:var(--danger);font-weight:700}
.wrong{display:block;margin:.25rem 0 .75rem}
.invalid{border-inline-start:.3125rem solid var(--danger);padding-inline-start:.9375rem}
.done{margin:0 0 1.5rem;padding:1rem;border:.25rem solid var(--accent);border-radius:var(--radius);font-weight:600}
.card{margin:0 0 1rem;padding:1rem;border:1px solid var(--line);border-radius:var(--radius)}
.card dl{margin-block-end:.75rem}
.card dl>div:last-child{border-block-end:0}
.card form{margin:0}
.code{inline-size:9rem;max-inline-size:100%;padding:.5rem .625rem;border:.125rem solid var(--field);border-radius:0;background:var(--page);color:var(--text);font:inherit;font-size:1.375rem;letter-spacing:.2em;font-variant-numeric:tabular-nums}
.label{display:block;font-weight:700}
table{inline-size:100%;border-collapse:collapse;margin-block-end:1rem}
caption{text-align:start;color:var(--soft);padding-block-end:.375rem}
th,td{padding:.5rem .75rem .5rem 0;border-block-end:1px solid var(--line);text-align:start;vertical-align:top}
.links{padding-inline-start:1.125rem}
.links li{margin-block-end:.5rem}
details{margin-block:1.5rem}
summary{cursor:pointer;color:var(--accent);font-weight:600;padding-block:.5rem}
.mono{font-family:ui-monospace,'SF Mono',Menlo,Consolas,monospace;font-size:.875em}
@media (max-width:36rem){dl>div{grid-template-columns:1fr}.actions>*,main button,main .button{inline-size:100%}th{display:none}td{display:block;padding-block:.125rem;border:0}tr{display:block;padding-block:.5rem;border-block-end:1px solid var(--line)}tr:has(th){border:0;padding:0}}
@media (forced-colors:active){.choice input{appearance:auto;-webkit-appearance:auto}}
@media print{:root{color-scheme:light;--text:#000;--soft:#333;--page:#fff;--panel:#fff;--line:#999;--accent:#000}.skip,nav,button,.button,form,.screen{display:none}body{font-size:11pt}main{padding-block:0}dl>div{break-inside:avoid}a{color:#000}a[href^=http]::after{content:" (" attr(href) ")"}}
`

/** The page's one stylesheet. Throws for an invalid theme value. */
export const stylesheet = (theme: Theme): string => `${propertiesOf(theme)}${rules.replaceAll("\n", "")}`

/** The icon if the host has no logo, so that browsers request no other. */
export const plainIcon = (theme: Theme): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="${theme.accent}"/><path d="m4 8.4 2.7 2.7L12 5.6" fill="none" stroke="${theme.accentText}" stroke-width="2"/></svg>`
