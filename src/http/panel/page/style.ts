/** The style of the pages: system fonts, light and dark mode, from phones to desktops. */
export const STYLE = `:root{color-scheme:light dark;--line:#8884;--bad:#d13438;--good:#2a8f4d}*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem;font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.2rem}h2{font-size:1rem;margin:1.2rem 0 .5rem}[hidden]{display:none!important}
#login{max-width:20rem;margin:15vh auto 0;display:grid;gap:.8rem}label{display:grid;gap:.2rem}
input,button,select,textarea{font:inherit;padding:.4rem .6rem;border:1px solid var(--line);border-radius:.4rem;max-width:100%}
input[type=checkbox]{width:1.1rem;height:1.1rem;justify-self:start}button{cursor:pointer}button:disabled{opacity:.5}
textarea,pre,code{font:13px/1.5 ui-monospace,monospace}textarea{width:100%;min-height:8rem;resize:vertical}
pre{overflow:auto;max-height:60vh;padding:.7rem;border:1px solid var(--line);border-radius:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}
header,.cards,.row{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end}header{align-items:center}.cards{align-items:stretch}header h1{margin:0;margin-inline-end:auto}
.row{margin:.6rem 0}nav{display:flex;gap:.2rem;overflow-x:auto;border-bottom:1px solid var(--line);margin:.8rem 0}
nav a{padding:.5rem .7rem;color:inherit;text-decoration:none;white-space:nowrap}nav a[aria-current]{font-weight:600;box-shadow:inset 0 -2px currentColor}
.cards div{flex:1 1 9rem;padding:.7rem;border:1px solid var(--line);border-radius:.5rem}.cards b{display:block;font-size:1.15rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{padding:.35rem .6rem;text-align:start;border-bottom:1px solid var(--line);white-space:nowrap}
[dir=rtl] .cards b{direction:ltr;text-align:right}[dir=rtl] td{unicode-bidi:plaintext;text-align:right}[dir=rtl] td.number{text-align:left}
td button{margin-inline-end:.3rem}.number{text-align:end;font-variant-numeric:tabular-nums}.off{opacity:.5}#error,.bad{color:var(--bad)}#error{min-height:1.5em;margin:0}
fieldset{border:1px solid var(--line);border-radius:.5rem;margin:0 0 1rem;padding:.7rem;display:grid;gap:.8rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr))}
.field{display:grid;gap:.2rem;align-content:start;min-width:0}.field textarea{min-height:5rem}.form{display:grid;gap:.7rem;max-width:24rem}#qr{width:13rem;background:#fff;padding:.4rem}
#toasts{position:fixed;inset-block-end:1rem;inset-inline-end:1rem;display:grid;gap:.5rem;max-width:min(24rem,calc(100vw - 2rem));z-index:9}
#toasts p{margin:0;padding:.6rem .8rem;border:1px solid var(--line);border-inline-start:4px solid var(--good);border-radius:.4rem;background:Canvas;overflow-wrap:anywhere}
#toasts .warning{border-inline-start-color:#c77700}#toasts .error{border-inline-start-color:var(--bad)}#toasts b{display:block}
dialog{max-width:min(44rem,calc(100vw - 2rem));border:1px solid var(--line);border-radius:.6rem;overflow-wrap:anywhere}`;
