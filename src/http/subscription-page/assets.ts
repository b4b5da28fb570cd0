import { hash } from 'node:crypto';

export const STYLE = `:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--line:#dfe3e8;--text:#1b2330;--code:#eef1f5;--link:#2459d6;--good:#18794e}
@media(prefers-color-scheme:dark){:root{--back:#12161c;--card:#1a2029;--line:#2c3542;--text:#e3e8ef;--code:#0f1319;--link:#8ab0ff;--good:#4cc38a}}
*{box-sizing:border-box}body{margin:0 auto;max-width:44rem;padding:1.25rem 1rem;font:16px/1.5 system-ui,sans-serif;background:var(--back);color:var(--text)}
h1{font-size:1.4rem;margin:0;overflow-wrap:anywhere}h2{font-size:1rem;margin:0 0 .6rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between;margin:0 0 1rem}
nav{display:flex;flex-wrap:wrap;gap:.3rem .8rem;font-size:.85rem}
section{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem;margin:0 0 1rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0}dt{opacity:.75}dd{margin:0;text-align:end;overflow-wrap:anywhere}
progress{width:100%;height:.8rem;margin:.8rem 0 0;accent-color:var(--link)}
ul{list-style:none;margin:0;padding:0}li+li{margin-top:.8rem}p{white-space:pre-line;overflow-wrap:anywhere;margin:0}
code{display:block;direction:ltr;text-align:left;padding:.5rem;border-radius:.4rem;background:var(--code);font-size:.8rem;overflow-wrap:anywhere;user-select:all;-webkit-user-select:all}
.apps{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.5rem}.apps li{margin:0}
.apps a,button{display:block;width:100%;padding:.55rem .7rem;border:1px solid var(--line);border-radius:.5rem;background:var(--code);color:var(--text);font:inherit;text-align:start;text-decoration:none}
.apps small{display:block;opacity:.7;font-size:.72rem}button{width:auto;margin:.4rem 0 0;cursor:pointer}button[hidden]{display:none}
.qr{display:block;width:min(15rem,100%);margin:.6rem auto 0;background:#fff;border-radius:.5rem}
summary{cursor:pointer;font-size:.85rem;margin-top:.4rem}.on{color:var(--good);font-weight:600}a{color:var(--link)}`;

/** Copies the text before a button; without a script there is no button, and a click on the text marks all of it. */
export const SCRIPT = `for(const b of document.querySelectorAll('button[data-done]')){b.hidden=false;b.onclick=async()=>{const c=b.previousElementSibling,w=b.textContent;
try{await navigator.clipboard.writeText(c.textContent)}catch{const r=document.createRange();r.selectNodeContents(c);const s=getSelection();s.removeAllRanges();s.addRange(r);document.execCommand('copy')}
b.textContent=b.dataset.done;setTimeout(()=>{b.textContent=w},2000)}}`;

const hashOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** The policy that the page must be sent with: its own style and script, and nothing else. */
export const infoPagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
