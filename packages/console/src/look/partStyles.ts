/** Styles of page heads, buttons, fields, panels, tiles and states. */
export const partStyles = `
/* Head of a page */
.head{display:flex;flex-wrap:wrap;align-items:center;gap:.375rem .75rem;min-block-size:1.875rem}
.head>div:not(.acts){flex:1 1 18rem;min-inline-size:0}
.head .t1{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .625rem}
.crumb{display:flex;flex-wrap:wrap;gap:.25rem;color:var(--soft)}
.meta{display:flex;flex-wrap:wrap;gap:.125rem .875rem;color:var(--soft)}
.acts{display:flex;flex-wrap:wrap;gap:.375rem;align-items:center}
.asof{display:inline-flex;align-items:center;gap:.5rem;margin-inline-start:.375rem;white-space:nowrap}
.avatar{place-content:center;inline-size:2.5rem;block-size:2.5rem;flex:none;display:grid;place-items:center;border-radius:var(--r-m);background:var(--tile);color:var(--tile-ink);font-size:1.125rem;font-weight:700}
.avatar.s{inline-size:1.75rem;block-size:1.75rem;font-size:.75rem;border-radius:50%}
.big{font-size:1.625rem;line-height:2rem;font-weight:700;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.big small{font-size:.9375rem;font-weight:600;letter-spacing:0}
.tabs{display:flex;gap:1.125rem;border-block-end:1px solid var(--line);overflow-x:auto;scrollbar-width:none}
.tabs a{display:flex;gap:.375rem;padding:.3125rem 0 .4375rem;color:var(--soft);font-weight:500;white-space:nowrap;border-block-end:2px solid transparent;margin-block-end:-1px}
.tabs a:hover{color:var(--ink)}
.tabs [aria-current]{color:var(--ink);font-weight:700;border-color:var(--link)}
.tabs a:focus-visible,.side a:focus-visible,.k a:focus-visible{outline-offset:-2px}
/* Buttons and fields */
button,.btn{display:inline-flex;align-items:center;justify-content:center;gap:.375rem;min-block-size:1.875rem;padding:.1875rem .6875rem;border:1px solid color-mix(in oklab,var(--edge) 55%,var(--card));border-radius:var(--r-s);background:var(--card);color:var(--ink);font:inherit;font-weight:600;text-decoration:none;cursor:pointer;white-space:nowrap}
button:hover,.btn:hover{background:var(--well)}
.go{background:var(--accent);border-color:var(--accent);color:var(--accent-text)}.go:hover{background:var(--accent);filter:brightness(.93)}
.stop{border-color:var(--danger);color:var(--danger)}.stop:hover{background:var(--danger-t)}
.stop.full{background:var(--danger);color:var(--card)}.stop.full:hover{filter:brightness(.93)}
.plain{border:0;background:none;padding-inline:.375rem;color:var(--link);min-block-size:1.5rem}
input,select,textarea{inline-size:100%;min-block-size:1.875rem;padding:.1875rem .5rem;border:1px solid var(--edge);border-radius:var(--r-s);background:var(--card);color:var(--ink);font:inherit}
textarea{min-block-size:4rem;resize:vertical;padding-block:.375rem}
::placeholder{color:var(--soft);opacity:1}
input[type=radio],input[type=checkbox]{inline-size:1.125rem;block-size:1.125rem;min-block-size:0;margin:0;accent-color:var(--link);flex:none}
.pick{display:flex;gap:.5rem;align-items:flex-start;padding:.4375rem .625rem;border:1px solid var(--line);border-radius:var(--r-s);cursor:pointer}
.pick:has(:checked){border-color:var(--link);background:var(--tint)}
.pick b{display:block}
.form{display:grid;gap:.75rem}
.form label.l,legend{display:block;margin-block-end:.1875rem;padding:0;font-weight:600}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,13rem),1fr));gap:.75rem}
.filters{display:flex;flex-wrap:wrap;gap:.375rem;align-items:center}
.filters label{display:flex;align-items:center;border:1px solid var(--edge);border-radius:var(--r-s);background:var(--card);padding-inline-start:.5rem;color:var(--soft)}
.filters label>*{inline-size:auto;border:0;background:none;min-block-size:1.75rem;font-weight:600;field-sizing:content;max-inline-size:15rem}
.filters label:focus-within{outline:2px solid var(--focus);outline-offset:1px}.filters label>:focus{outline:0}
.filters ::placeholder,.filters [type=date]{font-weight:400}
.filters .end{margin-inline-start:auto}
/* Panels */
.panel{background:var(--card);border:1px solid var(--line);border-radius:var(--r-m);overflow:auto;min-inline-size:0;position:relative}
.panel>header{display:flex;flex-wrap:wrap;align-items:center;gap:.125rem .75rem;padding:.5rem .875rem;min-block-size:2.375rem}
.panel>header>:last-child:not(h2){margin-inline-start:auto}.csv{color:var(--soft);font-weight:600;font-size:.75rem;text-decoration:none}.csv:hover{color:var(--link);text-decoration:underline}
.panel>header+*{border-block-start:1px solid var(--line)}
.pad{padding:.75rem .875rem;display:grid;gap:.625rem}
.foot svg{inline-size:.875rem;block-size:.875rem;vertical-align:-2px}
.foot{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.25rem 1rem;padding:.25rem .875rem;border-block-start:1px solid var(--line);color:var(--soft);min-block-size:2rem}
.cols{display:grid;grid-template-columns:minmax(0,1fr) 20rem;gap:.75rem;align-items:start}
.cols.even{grid-template-columns:repeat(2,minmax(0,1fr))}
.stack{display:grid;gap:.75rem;min-inline-size:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,14rem),1fr));gap:.75rem}
.tile{display:grid;grid-template-columns:1fr auto;align-content:space-between;gap:.125rem .5rem;padding:.625rem .875rem;background:var(--card);border:1px solid var(--line);border-radius:var(--r-m)}
.tile h2{grid-column:1/-1;font-weight:600}.tile h2 a{color:var(--ink)}
.tile p{grid-column:1/-1;color:var(--soft)}
.tile .chart{align-self:end}
.chart{inline-size:6.75rem;block-size:2rem;stroke:none}
.c1{fill:var(--mute)}.c2{fill:var(--link)}.c3{fill:var(--danger)}.c4{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3;fill:none}
.wide{inline-size:100%;block-size:4.5rem}
.meter{display:flex;block-size:.625rem;border-radius:99px;overflow:hidden;background:var(--well);box-shadow:inset 0 0 0 1px var(--line)}
.meter i{background:var(--link)}.meter i+i{background:var(--mute);border-inline-start:2px solid var(--card)}
/* State: a shape and a word, colour last */
.st{display:inline-flex;align-items:baseline;gap:.3125rem;white-space:nowrap}
.st>svg{align-self:center;inline-size:.875rem;block-size:.875rem;stroke-width:2.4}
.ok>svg,.ok.t{color:var(--ok)}.wait>svg{color:var(--info)}.bad>svg,.bad.t{color:var(--danger)}.warn>svg,.warn.t{color:var(--warn)}.off>svg{color:var(--soft)}
.pill{padding:.125rem .5rem .125rem .375rem;border-radius:99px;font-weight:600}
.pill.ok{background:var(--tint)}.pill.wait{background:var(--info-t)}.pill.bad{background:var(--danger-t)}.pill.warn{background:var(--warn-t)}.pill.off{background:var(--well)}
.tag{display:inline-block;padding:0 .3125rem;border:1px solid var(--line);border-radius:4px;background:var(--well);font-size:.71875rem;line-height:1rem;white-space:nowrap}
.note{display:flex;gap:.5rem;align-items:flex-start;padding:.5rem .75rem;border-radius:var(--r-m);background:var(--info-t)}
.note>svg{margin-block-start:1px;color:var(--info)}.note.bad{background:var(--danger-t)}.note.bad>svg{color:var(--danger)}.note.warn{background:var(--warn-t)}.note.warn>svg{color:var(--warn)}.note.ok{background:var(--tint)}.note.ok>svg{color:var(--ok)}
.note>:last-child{flex:1}.note .acts{flex:none;margin-block:-.1875rem}
.note.line{padding-block:.3125rem}
.error{padding:.5rem .75rem;border:2px solid var(--danger);border-radius:var(--r-s);font-weight:600}.error a{color:var(--danger)}
details.panel>summary{padding:.5rem .875rem}.solo .panel>.pad{padding:1.5rem}.centre{text-align:center}.between{display:flex;justify-content:space-between;gap:.5rem}.wrap{white-space:normal}ul.stack{gap:.375rem;padding-inline-start:1.125rem;list-style:disc}.solo .envsay{display:block}.solo.broad main{inline-size:min(100%,60rem);padding-block-start:1rem}
svg.meter{inline-size:100%;block-size:.625rem;stroke:none}.cols .empty{padding:1.25rem 1rem}.cols .empty>svg{inline-size:1.75rem;block-size:1.75rem}
.me button{inline-size:100%;justify-content:start;min-block-size:1.875rem;padding:.375rem .625rem;border:0;background:none;font-weight:400;color:var(--link)}
`

/** Styles of tables, key-value pairs, lists, timelines, and narrow pages such as sign-in. */
export const tableStyles = `
/* Tables */
table{inline-size:100%;overflow-wrap:break-word;border-collapse:collapse;background:var(--card)}
th{padding:.25rem .5rem;text-align:start;color:var(--soft);font-size:.75rem;white-space:nowrap;vertical-align:bottom}
thead th{border-block-end:1px solid var(--line)}
tbody th{color:inherit;font-size:inherit;white-space:normal;vertical-align:inherit}
td,tbody th{padding:0 .5rem;block-size:var(--row);border-block-start:1px solid var(--line)}
tbody tr:first-child>*{border-block-start:0}
tr>:first-child{padding-inline-start:.875rem}tr>:last-child{padding-inline-end:.875rem}
tbody tr:hover>*{background:var(--well)}
.num{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}
.time{white-space:nowrap;font-variant-numeric:tabular-nums}
.k a{display:flex;align-items:center;min-block-size:1.5rem;font-weight:600;color:var(--ink)}.k .id{font-size:.75rem}.flow:has(th:nth-child(6)) td.k{min-inline-size:7.5rem}td .mono{white-space:nowrap}td a[href*="/people/"],.meta a[href*="/people/"]{white-space:nowrap}.brk{overflow-wrap:anywhere}td .brk{display:block;min-inline-size:11rem}
.cut{max-inline-size:0;inline-size:28%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.cut.w2{inline-size:20%}
.rowy td,.rowy tbody th{padding-block:.375rem;vertical-align:top;block-size:auto}
tr.here>*,tr.here:hover>*{background:var(--tint)}
tr.open>*{background:var(--well)}tr.more>td{padding:0 .875rem .625rem 2rem;border:0;background:var(--well)}
.total>*{font-weight:700;border-block-start:2px solid var(--line)}
.mx td,.mx thead th:not(:first-child){text-align:center}.mx td:last-child,.mx thead th:last-child{text-align:end}
/* Pairs */
.kv{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;padding:.625rem .875rem;align-items:baseline}
.kv dt{color:var(--soft)}
.todo li{display:grid;grid-template-columns:1rem 1.5rem minmax(0,1fr) auto;gap:0 .5rem;align-items:center;padding:.3125rem .875rem;min-block-size:2.375rem;border-block-start:1px solid var(--line)}
.todo li:first-child{border:0}
.todo .c{font-size:1rem;font-weight:700;text-align:end;font-variant-numeric:tabular-nums}
.todo span.w{padding-inline-start:.375rem}
.todo .acts .btn{min-block-size:1.625rem}
.list li{display:flex;gap:.5rem;align-items:baseline;padding:.375rem .875rem;border-block-start:1px solid var(--line)}
.list li:first-child{border:0}.list li>svg{align-self:center}.list .end{margin-inline-start:auto;text-align:end;color:var(--soft);white-space:nowrap}
/* Timeline */
.tl{padding:.75rem .875rem}
.tl>li{display:grid;grid-template-columns:5.75rem 1.5rem minmax(0,1fr);gap:0 .625rem;padding-block-end:.875rem;position:relative}
.tl>li:not(:last-child)::before{content:"";position:absolute;inset:1.5rem auto 0 calc(6.375rem + .75rem - .5px);inline-size:1px;background:var(--line)}
.tl time{text-align:end;color:var(--soft);font-variant-numeric:tabular-nums;padding-block-start:.1875rem}
.tl .dot{inline-size:1.5rem;block-size:1.5rem;display:grid;place-items:center;border-radius:50%;background:var(--well);color:var(--soft)}
.dot svg{inline-size:.875rem;block-size:.875rem;stroke-width:2.2}.dot.ok{background:var(--tint);color:var(--ok)}.dot.bad{background:var(--danger-t);color:var(--danger)}.dot.wait{background:var(--info-t);color:var(--info)}
.tl>li>div{display:grid;gap:.25rem;padding-block-start:.1875rem}
.tl table{border:1px solid var(--line);border-radius:var(--r-s);border-collapse:separate;border-spacing:0;--row:26px}
pre{padding:.5rem .625rem;border-radius:var(--r-s);background:var(--well);white-space:pre-wrap;line-height:1.0625rem;tab-size:2}
del{color:var(--danger);text-decoration-thickness:1px}ins{color:var(--ok);text-decoration:none;font-weight:600}
details.d>summary{min-block-size:1.5rem;align-content:center;color:var(--link);font-weight:600;cursor:pointer}
.empty{display:grid;justify-items:center;gap:.5rem;padding:3rem 1rem;text-align:center}
.empty>svg{inline-size:2.25rem;block-size:2.25rem;color:var(--link);stroke-width:1.5}.empty p{max-inline-size:30rem;color:var(--soft)}
/* Sign-in, refusals, confirmations */
.solo{grid-template-columns:1fr}.solo main{inline-size:min(100%,27rem);max-inline-size:none;margin-inline:auto;padding-block-start:8vh}
.mid{inline-size:min(100%,44rem)}
`
