/** CSS variables, base styles, and styles of the top bar, the side menu and the main area. */
export const frameStyles = `
/* Light. Environment and state colours are never the brand's. */
:root{color-scheme:light dark;--ink:#14201c;--soft:#4c5955;--card:#fff;--base:#f8faf9;--edge:#6b7773;--focus:#1749c9;--danger:#b3261e;--danger-t:#fdeeec;--warn:#7a4b00;--warn-t:#fdf2d9;--ok:#0b6a4c;--info:#1749c9;--info-t:#edf2fe;--test:#f7c64a;--test-2:#eab52c;--test-ink:#231900;--live:#0c3b30;--lk:min(l,.5);--t-l:.955;--t-c:.026;--bar-l:.31}
@media (prefers-color-scheme:dark){:root{--ink:#edf2f0;--soft:#adb9b5;--card:#171f1c;--base:#0b100f;--edge:#82908b;--focus:#a9c1ff;--danger:#ffb4ab;--danger-t:#3a1d1a;--warn:#f5c766;--warn-t:#332710;--ok:#7fdcbd;--info:#a9c1ff;--info-t:#1b2440;--lk:max(l,.75);--t-l:.3;--t-c:.03;--bar-l:.33}}
:root{--link:var(--accent);--page:#f3f7f5;--line:#dfe4e2;--tint:#e2f2ec;--well:#f3f6f5;--mute:#b9d0c8;--r-s:calc(var(--radius)*.43);--r-m:calc(var(--radius)*.72);--row:27px;--bar:52px}
@media (prefers-color-scheme:dark){:root{--page:#0e1412;--line:#2d3532;--tint:#20302b;--well:#1d2522;--mute:#33584d}}
@supports (color:color-mix(in oklab,red,red)){:root{--page:color-mix(in oklab,var(--accent) 3.5%,var(--base));--line:color-mix(in oklab,var(--ink) 12%,var(--card));--tint:color-mix(in oklab,var(--accent) 11%,var(--card));--well:color-mix(in oklab,var(--accent) 4%,var(--card));--mute:color-mix(in oklab,var(--accent) 32%,var(--card))}}
/* A pale brand colour still gives links that can be read, and a bar that white stands on */
@supports (color:oklch(from red l c h)){:root{--link:oklch(from var(--accent) var(--lk) c h);--tint:oklch(from var(--accent) var(--t-l) var(--t-c) h);--live:oklch(from var(--accent) var(--bar-l) min(c,.055) h)}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;font-size:100%;scroll-padding-block:calc(var(--bar) + 3rem) 1rem}
body{margin:0;min-block-size:100vh;display:grid;grid-template:auto 1fr/12.75rem minmax(0,1fr);background:var(--page);color:var(--ink);font-family:var(--font);font-size:.8125rem;line-height:1.125rem;overflow-wrap:anywhere;-webkit-font-smoothing:antialiased}
h1,h2,h3,p,ul,ol,dl,dd,pre,figure,fieldset{margin:0;min-inline-size:0}
ul,ol,fieldset{padding:0;list-style:none;border:0}
h1{font-size:1.25rem;line-height:1.625rem;font-weight:700;letter-spacing:-.012em;text-wrap:balance}
h2{font-size:.875rem;line-height:1.25rem;font-weight:700}
h3{font-size:.8125rem;font-weight:700}
b,strong,th{font-weight:600}
a{color:var(--link);text-underline-offset:.18em}
td a,li a,nav a,dd a,.crumb a,.tile a,h3 a{text-decoration:none}td a:hover,li a:hover,dd a:hover,.crumb a:hover,h3 a:hover{text-decoration:underline}
p a,dd a,.why a{text-decoration:underline;text-decoration-color:color-mix(in oklab,currentColor 40%,transparent)}
svg{inline-size:1rem;block-size:1rem;flex:none;fill:none;stroke:currentColor;stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}
.soft,small{color:var(--soft)}small{font-size:.75rem}
.vh{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.mono,.id,code,pre{font-family:var(--mono);font-size:.71875rem}
.id{user-select:all;-webkit-user-select:all}
/* The beginning of a long id is clipped for the eye only: it is copied, found and read out whole */
.id i{display:inline-block;inline-size:0;overflow:hidden;white-space:nowrap;vertical-align:bottom;font-style:normal}.id:has(i),.id.s{white-space:nowrap}.meta .id,.foot .id{overflow-wrap:anywhere}.id:has(i)::before{content:"…";color:var(--soft)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:4px}
[tabindex="-1"]:focus{outline:0}
.skip:focus{position:fixed;z-index:9;inset:.5rem auto auto .5rem;inline-size:auto;block-size:auto;clip-path:none;padding:.625rem 1rem;background:var(--card);border-radius:var(--r-s)}
/* The bar is the environment */
.bar{grid-column:1/-1;position:sticky;inset-block-start:0;z-index:5;display:flex;align-items:center;gap:.75rem;min-block-size:var(--bar);padding:0 1rem;background:var(--live);color:#fff;--focus:#fff}
.test .bar{background:var(--test) repeating-linear-gradient(-45deg,transparent 0 12px,var(--test-2) 12px 24px);color:var(--test-ink);--focus:#231900}
body.test::after{content:"";position:fixed;inset:0;z-index:6;border:4px solid var(--test);pointer-events:none}
.brand{display:flex;align-items:center;gap:.5rem;inline-size:11rem;color:inherit;font-size:.9375rem;font-weight:700;text-decoration:none;white-space:nowrap}
.brand svg{inline-size:1.75rem;block-size:1.75rem;stroke:none}
.env{display:flex;padding:3px;border-radius:99px;background:rgb(0 0 0/.28)}
.test .env{background:rgb(35 25 0/.9)}
.env a{display:flex;align-items:center;gap:.3125rem;min-block-size:1.75rem;padding-inline:.75rem;border-radius:99px;color:#fff;font-weight:600;letter-spacing:.02em}
.env [aria-current]{background:#fff;color:#14201c;font-weight:800}
.test .env [aria-current]{background:var(--test)}
.env svg{inline-size:.875rem;block-size:.875rem}
.envsay{font-weight:600;line-height:1rem;white-space:nowrap}
.test .envsay{padding:.25rem .5rem;background:var(--test);border-radius:var(--r-s)}
.find{flex:1;display:flex;max-inline-size:30rem;margin-inline-start:auto;position:relative}
.find svg{position:absolute;inset:.5rem auto auto .625rem;color:var(--soft)}
.find input{padding-inline:2rem .625rem;border-color:transparent;min-block-size:2rem}
.me{position:relative}
.me summary{display:flex;align-items:center;gap:.5rem;min-block-size:2.25rem;list-style:none;cursor:pointer;line-height:1rem}
.me summary small{display:block;color:inherit;opacity:.9}
.me summary::-webkit-details-marker{display:none}
.test .me summary{padding-inline:.375rem;background:var(--test);border-radius:var(--r-s)}
.me ul{position:absolute;inset:100% 0 auto auto;min-inline-size:13rem;padding:.375rem;background:var(--card);color:var(--ink);border:1px solid var(--line);border-radius:var(--r-m);box-shadow:0 8px 28px rgb(9 30 24/.16)}
.me li>*{display:flex;padding:.375rem .625rem;inline-size:100%}
/* Rooms. No script: a popover below 60em, a column above. */
.menu{display:none}
.side{position:sticky;inset:var(--bar) auto auto 0;margin:0;padding:.75rem .5rem;inline-size:auto;block-size:calc(100vh - var(--bar));display:flex;flex-direction:column;gap:1px;border:0;border-inline-end:1px solid var(--line);background:transparent;color:inherit;overflow:auto}
.side a{white-space:nowrap;display:flex;align-items:center;gap:.5rem;min-block-size:1.875rem;padding-inline:.625rem;border-radius:var(--r-s);color:var(--ink);font-weight:500}
.side svg{color:var(--soft)}
.side a:hover{background:var(--well)}
.side [aria-current]{background:var(--tint);font-weight:600}.side [aria-current] svg{color:var(--link)}
.side h2{padding:.75rem .625rem .25rem;font-size:.6875rem;line-height:1rem;font-weight:600;color:var(--soft)}
.side p{margin-block-start:auto;padding:.5rem .625rem;font-size:.75rem;color:var(--soft)}
.n{margin-inline-start:auto;min-inline-size:1.25rem;padding-inline:.3125rem;border-radius:99px;background:var(--well);box-shadow:inset 0 0 0 1px var(--line);font-size:.6875rem;line-height:1.125rem;font-weight:600;text-align:center;font-variant-numeric:tabular-nums}
.n.bad{background:var(--danger);color:var(--card);box-shadow:none}
main{padding:.625rem 1.25rem 1.5rem;display:flex;flex-direction:column;gap:.625rem;max-inline-size:90rem;min-inline-size:0}
`
