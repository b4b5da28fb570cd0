import { hash } from 'node:crypto';

export const STYLE = `:root{color-scheme:light dark;--back:#f3f5f8;--card:#fff;--line:#dbe1e8;--text:#18202c;--soft:#56606e;--code:#eef1f5;--main:#1f55d0;--on:#fff;--good:#146c43;--pill:#dff3e7}
@media(prefers-color-scheme:dark){:root{--back:#0f1318;--card:#181e26;--line:#2b3440;--text:#e6ebf1;--soft:#9aa6b5;--code:#10151b;--main:#8db4ff;--on:#0b1730;--good:#66d9a0;--pill:#12382a}}
*{box-sizing:border-box}body{margin:0 auto;max-width:42rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;background:var(--back);color:var(--text)}
h1{font-size:1.35rem;line-height:1.25;margin:0;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:0 0 .7rem}h3{font-size:.9rem;font-weight:600;margin:1rem 0 .35rem;overflow-wrap:anywhere}
header,.top,.row{display:flex;align-items:center;gap:.6rem}header{flex-wrap:wrap;justify-content:space-between;margin:.25rem 0 1rem}
nav{display:flex;flex-wrap:wrap;gap:.1rem .3rem;font-size:.9rem}nav a{padding:.3rem}
section{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.1rem;margin:0 0 1rem}
.top{justify-content:space-between;align-items:flex-start}.top dt{font-size:.85rem}.top dd{font-size:1.45rem;line-height:1.3;font-weight:700;text-align:start;margin:0}
dl{margin:0}dt{color:var(--soft)}dd{margin:0;text-align:end;overflow-wrap:anywhere}.more{margin-top:1rem;display:grid;grid-template-columns:auto 1fr;gap:.35rem 1rem;font-size:.95rem}
.on{background:var(--pill);color:var(--good);font-weight:600;font-size:.85rem;border-radius:1rem;padding:.15rem .7rem;white-space:nowrap}
progress{appearance:none;display:block;width:100%;height:.6rem;margin:.9rem 0 0;border:0;border-radius:.3rem;background:var(--line);overflow:hidden}
progress::-webkit-progress-bar{background:var(--line)}progress::-webkit-progress-value{background:var(--main)}progress::-moz-progress-bar{background:var(--main)}
ul{list-style:none;margin:0;padding:0}p{white-space:pre-line;overflow-wrap:anywhere;margin:0}
code{flex:1;min-width:0;direction:ltr;text-align:left;padding:.7rem;border-radius:.6rem;background:var(--code);font-size:.85rem;white-space:nowrap;overflow-x:auto;user-select:all;-webkit-user-select:all}
.apps{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.6rem}details .apps{margin-top:.6rem}
.apps a,button{display:flex;flex-direction:column;justify-content:center;min-height:2.9rem;padding:.45rem .9rem;border:1px solid var(--line);border-radius:.7rem;background:var(--code);color:var(--text);font:inherit;font-weight:600;line-height:1.3;text-decoration:none;height:100%}
.apps small{color:var(--soft);font-weight:400;font-size:.72rem}button{background:var(--main);border-color:var(--main);color:var(--on);cursor:pointer;height:auto}button[hidden]{display:none}
.qr{display:block;width:min(15rem,100%);margin:1rem auto 0;background:#fff;border-radius:.7rem}
summary,.code{display:block;cursor:pointer;padding:.5rem 0;text-decoration:none;color:var(--main);font-size:.9rem}summary::before,.code::before{content:"+ "}[open]>summary::before{content:"\\2212  "}a{color:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}`;

/** Copies the text before a button. Without a script there is no button, and a click selects the text. */
export const SCRIPT = `for(const b of document.querySelectorAll('button')){b.hidden=false;b.onclick=async()=>{const c=b.previousElementSibling,w=b.dataset.copy??=b.textContent;
try{await navigator.clipboard.writeText(c.textContent)}catch{const r=document.createRange();r.selectNodeContents(c);const s=getSelection();s.removeAllRanges();s.addRange(r);document.execCommand('copy')}
b.textContent=document.body.dataset.done;setTimeout(()=>{b.textContent=w},2000)}}`;

const hashOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** The Content-Security-Policy of the page: its own style and script, and nothing else. */
export const infoPagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
