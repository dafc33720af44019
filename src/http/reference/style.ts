/** The style of the reference page. */
export const STYLE = `
:root{--ink:#1b2733;--soft:#5b6b7b;--line:#e1e7ed;--paper:#fff;--panel:#f6f8fa;--accent:#0b6e4f;--post:#9a5b00;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e4eaf0;--soft:#9aabba;--line:#2b3743;--paper:#12181f;--panel:#1a222b;--accent:#5fd0a8;--post:#f0b35b}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--paper);display:grid;grid-template-columns:19rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.5rem 1rem 3rem 1.5rem;border-right:1px solid var(--line);background:var(--panel);font-size:.875rem}
nav strong{font-size:1rem}
nav input,nav label{display:none}
nav p{margin:1.25rem 0 .25rem;color:var(--soft);font-size:.75rem;text-transform:uppercase;letter-spacing:.06em}
nav a{display:flex;gap:.5rem;align-items:baseline;padding:.2rem .4rem;color:inherit;text-decoration:none;border-radius:4px;line-height:1.4}
nav a:hover,nav a:focus-visible{background:var(--line)}
main{padding:2rem clamp(1rem,4vw,4rem) 6rem;max-width:62rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 1rem}
h2{font-size:1.5rem;margin:3.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.125rem;margin:0;overflow-wrap:anywhere}
h4{font-size:.8rem;margin:1.5rem 0 .4rem;color:var(--soft);text-transform:uppercase;letter-spacing:.06em}
a{color:var(--accent)}
.links a{margin-right:1rem}
article{margin:2rem 0;padding:1.5rem;border:1px solid var(--line);border-radius:10px}
article:target{border-color:var(--accent)}
article>h4:first-of-type{margin-top:1.25rem}
.label{margin:1rem 0 .25rem;color:var(--soft);font-size:.875rem}
.summary{font-size:1.05rem;font-weight:600;margin:.5rem 0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
:not(pre)>code{background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:0 .25em;overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;overflow-x:auto;line-height:1.5;margin:.5rem 0}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th{text-align:left;color:var(--soft);font-weight:600;white-space:nowrap}
td:first-child code{overflow-wrap:normal;white-space:nowrap}
td:last-child{min-width:14rem}
th,td{padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
.method{display:inline-block;flex:none;min-width:3.1em;font:600 .7rem/1.6 ui-monospace,Menlo,monospace;text-align:center;border:1px solid currentColor;border-radius:4px;color:var(--accent)}
.method.post{color:var(--post)}
details{border-bottom:1px solid var(--line);padding:.35rem 0}
summary{cursor:pointer}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}article{padding:1rem}nav{padding:.75rem 1rem;display:grid;grid-template-columns:1fr auto;align-items:center}nav div{display:none;grid-column:1/-1}nav label{display:block;padding:.25rem .75rem;border:1px solid var(--line);border-radius:6px;background:var(--paper);cursor:pointer}nav input{display:block;position:absolute;opacity:0}nav input:focus-visible+label{outline:2px solid var(--accent)}nav input:checked~div{display:block}h1{font-size:1.6rem}}
@media(max-width:40rem){thead{display:none}tr{display:flex;flex-wrap:wrap;gap:.1rem .75rem;padding:.6rem 0;border-bottom:1px solid var(--line)}td{padding:0;border:0;color:var(--soft)}td:first-child,td:last-child{color:inherit}td:last-child{flex-basis:100%;min-width:0}td:first-child code{white-space:normal;overflow-wrap:anywhere}td:empty{display:none}}
@media print{nav{display:none}body{display:block}}
`
