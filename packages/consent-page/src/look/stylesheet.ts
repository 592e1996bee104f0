import { type Palette, palettes, tiles } from "@surety/page-kit/look/Palette"
import type { Theme } from "../ConsentPageSettings.js"

/** Pattern of a radius or font: one CSS property value, without `url`, so the page loads nothing for it. */
const oneValue = /^(?!.*url)[\w\s#%.,()'-]+$/iu

const propertiesOf = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";")

const tilesOf = (ground: 0 | 2, ink: 1 | 3): string =>
  tiles.map((tile, index) => `.t${index}{--tile:${tile[ground]};--tile-ink:${tile[ink]}}`).join("")

const themed = (theme: Theme): string => {
  for (const name of ["radius", "font"] as const) {
    if (!oneValue.test(theme[name]))
      throw new Error(`The theme's ${name} is "${theme[name]}"; it must be one CSS value.`)
  }
  const { dark, light } = palettes(theme)
  return `:root{color-scheme:light dark;${propertiesOf(light)};--radius:${theme.radius};--font:${theme.font};--r-s:calc(var(--radius)*.72);--r-l:calc(var(--radius)*1.5);--shade:0 1px 2px #0a1e180f,0 8px 28px #0a1e1814}${tilesOf(0, 1)}@media (prefers-color-scheme:dark){:root{${propertiesOf(dark)};--shade:0 0 0 1px #ffffff0f}${tilesOf(2, 3)}}`
}

/**
 * Styles of plain elements, and of the header, sheet and footer. Sizes in rem follow the browser's text size, and
 * logical sides follow the language's writing direction.
 */
const frame = `
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-block:1rem 7rem}
body{margin:0;min-block-size:100vh;min-block-size:100dvh;display:flex;flex-direction:column;background:var(--page);color:var(--ink);font-family:var(--font);font-size:1rem;line-height:1.45;overflow-wrap:anywhere}
h1,h2,h3,p,ul,ol,dl,dd{margin:0}
ul,ol{padding:0;list-style:none}
h1{font-size:1.5rem;font-weight:700;line-height:1.2;letter-spacing:-.01em;text-wrap:balance}
h2{font-size:1.0625rem;font-weight:700;line-height:1.3}
svg{inline-size:1.25rem;block-size:1.25rem;flex:none;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
[dir=rtl] .flip{transform:scaleX(-1)}
a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:max(1px,.0625rem)}
b{font-weight:700}
q{quotes:"\\201c""\\201d"}
.soft{color:var(--soft)}
.small{font-size:.875rem}
.vh{position:absolute;inline-size:1px;block-size:1px;min-block-size:0;padding:0;border:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:.1875rem solid var(--focus);outline-offset:.1875rem;border-radius:var(--r-s)}
[tabindex="-1"]:focus{outline:0}
.skip:focus{position:static;inline-size:auto;block-size:auto;clip-path:none;padding:.75rem 1rem;text-align:center}
.top,.foot,main{inline-size:min(100%,34rem);margin-inline:auto}
.top{padding:.375rem 1rem;display:flex;align-items:center;justify-content:space-between;gap:.25rem 1rem;flex-wrap:wrap;min-block-size:3.5rem}
.brand{display:flex;align-items:center;gap:.625rem;font-weight:700;font-size:1.0625rem;min-inline-size:0}
.brand img{block-size:2rem;inline-size:auto;max-inline-size:8rem}
.mark{inline-size:2rem;block-size:2rem;border-radius:.5625rem;display:grid;place-items:center;background:var(--accent);color:var(--accent-text)}
.lang{position:relative}
.lang summary{display:flex;align-items:center;gap:.375rem;min-block-size:2.75rem;padding-inline:.5rem;font-weight:500;font-size:.9375rem;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
.lang ul{position:absolute;z-index:3;inset-block-start:100%;inset-inline-end:0;min-inline-size:11rem;padding:.375rem;background:var(--card);border:1px solid var(--line);border-radius:var(--radius);box-shadow:var(--shade)}
.lang li>*{display:flex;align-items:center;inline-size:100%;min-block-size:2.75rem;padding:0 .75rem;border:0;background:none;color:var(--ink);font-weight:400;text-decoration:none;text-align:start;justify-content:start;border-radius:var(--r-s)}
.lang [aria-current]{background:var(--tint);font-weight:700}
.test{padding:0 1rem .5rem;font-size:.875rem;font-weight:600;color:var(--soft);display:flex;gap:.5rem;align-items:center}
main{container-type:inline-size;flex:1;display:flex;flex-direction:column}
.sheet{flex:1;display:flex;flex-direction:column;background:var(--card);border-start-start-radius:var(--r-l);border-start-end-radius:var(--r-l);box-shadow:var(--shade)}
.pad{padding:1rem 1rem .75rem;display:flex;flex-direction:column;gap:.75rem}
.grow{flex:1}
.foot{padding:.75rem 1rem 1.25rem;color:var(--soft);font-size:.875rem}
.foot p,.line{display:flex;gap:.5rem}
.foot svg,.line svg{inline-size:1.125rem;block-size:1.125rem;margin-block-start:.0625rem}
`

/** Styles of the screens' building blocks, such as rows, buttons and cards. */
const parts = `
.who{display:flex;align-items:center;gap:.875rem}
.who>div,.who>h1{min-inline-size:0;flex:1}
.tile{inline-size:3.25rem;block-size:3.25rem;flex:none;display:grid;place-items:center;border-radius:var(--radius);background:var(--tile);color:var(--tile-ink);font-size:1.5rem;font-weight:700}
.badge{color:var(--soft);font-size:.875rem;line-height:1.4}
.badge:not(.yes){color:var(--ink)}
.badge.yes svg{color:var(--link)}
.say{padding:.625rem .875rem;background:var(--well);border-radius:var(--r-s)}
fieldset{margin:0;padding:0;border:0;min-inline-size:0}
legend{padding:0;margin-block-end:.375rem;font-size:1.0625rem;font-weight:700}
.rows{border:1px solid var(--line);border-radius:var(--radius);overflow:hidden}
.row{display:flex;align-items:center;gap:.75rem;min-block-size:3.5rem;padding:.4375rem .875rem;color:inherit;text-decoration:none}
.row+.row,.rows>li+li,.rows>*+details{border-block-start:1px solid var(--line)}
label.row{cursor:pointer}
.row>svg:first-child{color:var(--soft)}
.row>svg:last-child{color:var(--soft);inline-size:1.125rem;block-size:1.125rem}
.row>span:not(.tile){flex:1;min-inline-size:0;line-height:1.3}
.row b{display:block;font-weight:600}
.row small{display:block;font-size:.9375rem;color:var(--soft)}
.row input{appearance:none;-webkit-appearance:none;flex:none;inline-size:1.75rem;block-size:1.75rem;margin:0;display:grid;place-content:center;border:.125rem solid var(--edge);border-radius:.5rem;background:var(--card);cursor:pointer}
.row input::before{content:"";inline-size:.9375rem;block-size:.5rem;border:solid var(--accent-text);border-width:0 0 .1875rem .1875rem;transform:translateY(-.125rem) rotate(-45deg) scale(0)}
.row input:checked{background:var(--accent);border-color:var(--link)}
.row input:checked::before{transform:translateY(-.125rem) rotate(-45deg)}
.row:has(:checked){background:var(--tint)}
.row:has(:checked)>svg:first-child{color:var(--link)}
.row:has(:focus-visible){outline:.1875rem solid var(--focus);outline-offset:-.1875rem;border-radius:var(--r-s)}
.row:has(:focus-visible) input{outline:0}
a.row:hover,label.row:hover{background:var(--tint)}
a.row:focus-visible{outline-offset:-.1875rem}
.rows.solid{background:var(--card);border:0;box-shadow:var(--shade);border-radius:var(--r-l)}
.row .tile{inline-size:2.25rem;block-size:2.25rem;font-size:1.0625rem;border-radius:var(--r-s)}
.invalid .rows{border-color:var(--danger);box-shadow:0 0 0 1px var(--danger)}
.error{padding:.625rem .875rem;border:.125rem solid var(--danger);border-radius:var(--r-s);font-weight:600}
.error a{color:var(--danger)}
textarea{inline-size:100%;padding:.5rem;border:.0625rem solid var(--edge);border-radius:var(--r-s);background:var(--card);color:var(--ink);font:inherit}
select{min-block-size:2.75rem;max-inline-size:100%;margin-block-start:.25rem;padding:.25rem .375rem;border:.0625rem solid var(--edge);border-radius:var(--r-s);background:var(--card);color:var(--ink);font:inherit;font-weight:700}
.notes{display:grid;gap:.375rem;font-size:.9375rem;color:var(--soft);line-height:1.35}
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-block-size:3rem;padding:.5rem 1.125rem;border:.125rem solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--accent-text);font:inherit;font-weight:700;line-height:1.25;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{filter:brightness(.93)}
button:active,.button:active{transform:scale(.985)}
.ghost{background:var(--card);color:var(--ink);border:.0625rem solid var(--edge)}
.no{background:var(--no);color:var(--no-text)}
.stop{color:var(--danger)}
.link{min-block-size:2.75rem;padding:.25rem 0;border:0;background:none;color:var(--ink);font-weight:500;text-decoration:underline;text-underline-offset:.18em;text-decoration-thickness:max(1px,.0625rem);justify-content:start;text-align:start;align-self:start}
.link svg{color:var(--soft)}
.go{display:inline-flex;align-items:center;gap:.375rem;min-block-size:2.75rem;font-weight:600}
.stack{display:grid;gap:.625rem}
.bar{position:sticky;inset-block-end:0;z-index:2;display:flex;flex-wrap:wrap;gap:.625rem;padding:.625rem 1rem max(.75rem,env(safe-area-inset-bottom));background:var(--card);border-block-start:1px solid var(--line)}
.bar button{flex:1 1 8.5rem;display:grid;gap:0;justify-items:center;align-content:center;min-block-size:3.5rem;padding:.375rem .5rem;line-height:1.2}
.bar button>span{display:flex;align-items:center;gap:.375rem;font-size:1.0625rem}
.bar svg{stroke-width:2.6;inline-size:1.125rem;block-size:1.125rem}
.bar small{font-size:.875rem;font-weight:500}
.fold{border-block-start:1px solid var(--line)}
.fold>summary{display:flex;align-items:center;gap:.75rem;min-block-size:2.75rem;padding-block:.25rem;font-weight:600;cursor:pointer;list-style:none}
.fold>summary>svg:last-child,.lang summary>svg:last-child{margin-inline-start:auto;inline-size:1.125rem;block-size:1.125rem;color:var(--soft)}
[open]>summary>svg:last-child{rotate:180deg}
.fold>summary>svg:first-child{color:var(--soft)}
.fold>:not(summary){margin-block-end:.75rem}
.rows .fold{border-inline:0;border-block-end:0}.rows .fold>summary{min-block-size:3.25rem;padding-inline:.875rem}.rows .fold>:not(summary){margin:0;padding:0 .875rem .625rem}
dl>div{padding-block:.375rem}
dt{color:var(--soft);font-size:.875rem}
dd{min-inline-size:0}
.mono{font-family:ui-monospace,'SF Mono',Menlo,Consolas,monospace;font-size:.875em}
.ask .pad{padding-block-end:.25rem;gap:.5625rem}
.ask h1{font-size:1.0625rem;font-weight:400;letter-spacing:0;line-height:1.3}
.ask h1 bdi{display:block;font-size:1.375rem;font-weight:700;line-height:1.2;letter-spacing:-.01em}
.ask .link{margin-block:-.25rem}
.end{padding-block-start:1.25rem;gap:.875rem}
.seal{inline-size:3.5rem;block-size:3.5rem;display:grid;place-items:center;border-radius:50%;background:var(--tint);color:var(--link)}
.seal svg{inline-size:1.75rem;block-size:1.75rem;stroke-width:2.2}
.seal.yes{background:var(--accent);color:var(--accent-text)}
.seal.calm{background:var(--well);color:var(--ink)}
.help{display:grid;gap:.25rem;padding:.75rem .875rem;background:var(--well);border-radius:var(--radius);font-size:.9375rem}
.help button{margin-block:.5rem .125rem}
.ok{padding:.75rem .875rem;background:var(--tint);border-radius:var(--radius);font-weight:600}
.ok svg{color:var(--link)}
.label{font-weight:600}
.code{--cell:min(3.375rem,(100vw - 2.25rem)/6);display:block;inline-size:calc(var(--cell)*6 + .25rem);max-inline-size:100%;min-block-size:3.5rem;margin-block:.375rem;padding:0;padding-inline-start:calc((var(--cell) - 1ch)/2);border:.125rem solid var(--edge);border-radius:var(--r-s);background:var(--card) repeating-linear-gradient(90deg,transparent 0 calc(var(--cell) - 1px),var(--line) 0 var(--cell));color:var(--ink);font-family:ui-monospace,'SF Mono','Roboto Mono',Menlo,Consolas,monospace;font-size:1.625rem;letter-spacing:calc(var(--cell) - 1ch);font-variant-numeric:tabular-nums;overflow:clip}
.code:focus{outline:.1875rem solid var(--focus);outline-offset:.125rem}
.code[aria-invalid]{border-color:var(--danger)}
.wide{padding:.5rem 1rem 1.5rem;display:flex;flex-direction:column;gap:1rem}
.card{display:flex;flex-direction:column;gap:.75rem;padding:1rem;background:var(--card);border-radius:var(--r-l);box-shadow:var(--shade)}
.card .tile{inline-size:2.75rem;block-size:2.75rem;font-size:1.25rem}
.chips{display:flex;flex-wrap:wrap;gap:.375rem}
.chips li{display:inline-flex;align-items:center;gap:.375rem;padding:.25rem .625rem;border-radius:2rem;background:var(--well);font-size:.9375rem}
.chips svg{inline-size:1rem;block-size:1rem;color:var(--soft)}
.log li{display:grid;grid-template-columns:4.25rem 1fr;gap:0 .75rem;padding-block:.625rem;border-block-start:1px solid var(--line)}
.log time{font-weight:600;font-variant-numeric:tabular-nums}
.back{display:inline-flex;align-items:center;gap:.375rem;min-block-size:2.75rem;align-self:start;color:var(--ink);font-weight:500;text-decoration:none}
.back:hover{text-decoration:underline}
`

/** Rules that depend on the window, text size, the person's settings or the medium. */
const conditions = `
@media (min-width:40em){.top{padding:.75rem .25rem .625rem}main{flex:none}.sheet{flex:none;border-radius:var(--r-l);overflow:clip}.pad{padding:1.5rem 1.75rem 1rem}.pad:last-child{padding-block-end:1.5rem}.bar{padding:.875rem 1.75rem 1rem}.wide{padding-inline:0}.foot,.test{padding-inline:.25rem}.card{padding:1.25rem 1.5rem}.end{padding-block-start:2rem}dl>div{display:grid;grid-template-columns:minmax(7rem,2fr) 4fr;gap:0 1rem;align-items:baseline}}
@media (min-width:40em) and (min-height:56em){body::before{content:"";flex:0 1 4vh}}
@media (max-height:26em){.bar{position:static}}
@container (max-width:18.99rem){.bar{position:static}.row>svg:first-child,.notes svg,.fold>summary>svg:first-child{display:none}.who{flex-direction:column;align-items:flex-start}.code{font-size:1.25rem}main *{hyphens:auto}}
@container (min-width:19rem){b time{white-space:nowrap}}
@media (max-width:20em){.log li{grid-template-columns:1fr}}
@media (prefers-contrast:more){:root{--soft:var(--ink);--line:var(--edge)}}
@media (forced-colors:active){.row input{appearance:auto;-webkit-appearance:auto}.row:has(:checked){outline:2px solid Highlight;outline-offset:-2px}.sheet,.card,.say,.help,.ok,.chips li,.tile,.mark{border:1px solid}}
@media (prefers-reduced-motion:no-preference){.row input::before{transition:transform .14s ease-out}summary>svg:last-child{transition:rotate .15s}.seal svg{animation:in .32s ease-out both}@keyframes in{from{opacity:0;transform:scale(.6)}}@view-transition{navigation:auto}}
@media print{:root{color-scheme:light;--ink:#000;--soft:#333;--card:#fff;--page:#fff;--tint:#fff;--well:#fff;--line:#999;--accent:#000;--shade:none}.skip,.lang,.bar,.back,.screen,form,button,.button{display:none!important}form.sheet{display:block!important}body{display:block;font-size:11pt}.sheet,.card{box-shadow:none;break-inside:avoid}.pad,.wide,.foot,.top,.card{padding-inline:0}details.fold::details-content{content-visibility:visible;block-size:auto}a[href^=http]::after{content:" (" attr(href) ")"}}
`

/**
 * Builds the stylesheet of every page except the one that checks receipts. Throws if an accent is not a colour or lacks
 * contrast. Also throws if radius or font is not one CSS value.
 */
export const stylesheet = (theme: Theme): string => (themed(theme) + frame + parts + conditions).replaceAll("\n", "")

/** Renders the default icon for a host without a logo, so browsers do not request `/favicon.ico`. */
export const plainIcon = (theme: Theme): string => {
  const { light } = palettes(theme)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="${light.accent}"/><path d="m4 8.4 2.7 2.7L12 5.6" fill="none" stroke="${light["accent-text"]}" stroke-width="2"/></svg>`
}
