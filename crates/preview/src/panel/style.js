// The style of the panel. Colors, fonts and radius are the design tokens of the site, whose custom properties reach into the
// shadow tree; a page without them, such as the list of problems, gets the values behind the commas.

/**
 * A style sheet made by script, which a Content Security Policy without inline styles allows.
 * @param {string} css
 */
export function sheet(css) {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}

export const style = sheet(`
:host{all:initial;position:static;
--ink:var(--color-ink,#0e1412);--raised:var(--color-ink-raised,#1b2421);--paper:var(--color-paper,#f3f5f5);
--soft:var(--color-paper-soft,#a9b4af);--signal:var(--color-signal,#f0ff64);--growth:var(--color-growth,#56da00);
--bad:var(--color-error-on-ink,#ff9c93);--line:var(--color-line-on-ink,#f3f5f530);--round:var(--radius-control,4px);
--text:var(--font-text,ui-sans-serif,system-ui,sans-serif);--display:var(--font-display,var(--text));
--mono:var(--font-mono,ui-monospace,monospace)}
@media print{:host{display:none}}
*{box-sizing:border-box}
[hidden]{display:none!important}
aside{direction:ltr;text-align:left;font:400 15px/1.5 var(--text);color:var(--paper);-webkit-text-size-adjust:100%}
button,a{font:inherit;color:inherit}
button{cursor:pointer}
:focus-visible{outline:2px solid var(--signal);outline-offset:2px}
.launcher{position:fixed;inset:auto 16px 16px auto;z-index:2147483646;display:flex;align-items:center;gap:8px;min-height:40px;
padding:0 14px;border:1px solid var(--line);border-radius:var(--round);background:var(--ink);color:var(--paper);
font:600 14px/1 var(--text);box-shadow:0 4px 16px #0004}
.launcher:hover{border-color:var(--signal)}
.launcher:focus-visible{outline-color:var(--ink);box-shadow:0 0 0 6px var(--signal)}
.badge{display:inline-block;min-width:20px;padding:3px 6px;border-radius:10px;background:var(--signal);color:var(--ink);
font:600 12px/1.2 var(--text);text-align:center}
.panel{position:fixed;inset:0 0 0 auto;z-index:2147483647;display:flex;flex-direction:column;width:min(460px,100vw);
background:var(--ink);border-inline-start:1px solid var(--line);box-shadow:-8px 0 32px #0005}
.head{display:flex;align-items:center;gap:8px;padding:16px 20px 12px}
.head h2{flex:1;margin:0;font:650 22px/1.2 var(--display);letter-spacing:-.01em}
.head button,.more{min-height:36px;padding:0 12px;border:1px solid var(--line);border-radius:var(--round);background:none;
font:500 14px/1 var(--text)}
.head button:hover,.more:hover{border-color:var(--signal)}
.tabs{display:flex;gap:2px;padding:0 16px;border-bottom:1px solid var(--line);overflow-x:auto;scrollbar-width:none}
.tabs button{flex:none;display:inline-flex;align-items:center;min-height:42px;padding:0 8px;border:0;border-bottom:3px solid transparent;background:none;
color:var(--soft);font:500 14px/1 var(--text);white-space:nowrap}
.tabs button:hover{color:var(--paper)}
.tabs button[aria-selected=true]{color:var(--paper);border-bottom-color:var(--signal)}
.tabs button:focus-visible{outline-offset:-3px}
.tabs .badge{margin-inline-start:4px}
.body{flex:1;overflow-y:auto;padding:20px;overscroll-behavior:contain}
.body:focus-visible{outline-offset:-3px}
h3{margin:28px 0 8px;font:650 17px/1.3 var(--display)}
h3:first-child{margin-top:0}
p{margin:0 0 10px}
ul,dl{margin:0;padding:0;list-style:none}
li{padding:10px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
li p{margin:0}
dl{display:grid;grid-template-columns:auto 1fr;gap:6px 16px}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
.quiet{color:var(--soft);font-size:14px}
.code{color:var(--signal);font:13px/1.5 var(--mono)}
.error .code{color:var(--bad)}
.hint{color:var(--soft);font-size:14px}
.place,.page{display:inline-block;min-height:24px;font:13px/1.6 var(--mono);color:var(--paper);text-decoration:underline;
text-decoration-color:var(--soft);text-underline-offset:3px;overflow-wrap:anywhere;text-align:start}
button.place{padding:0;border:0;background:none}
a.place:hover,button.place:hover,.page:hover{color:var(--signal);text-decoration-color:currentColor}
span.place{text-decoration:none;color:var(--soft)}
.state{display:inline-block;padding:2px 8px;border-radius:var(--round);background:var(--signal);color:var(--ink);
font:600 13px/1.5 var(--text)}
table{width:100%;border-collapse:collapse;font-size:14px}
th,td{padding:7px 0;border-top:1px solid var(--line);text-align:end;font-weight:400;vertical-align:top;white-space:nowrap}
th:first-child,td:first-child{padding-inline-end:12px;text-align:start;white-space:normal;overflow-wrap:anywhere}
td+td,th+th{padding-inline-start:14px}
thead th{border-top:0;color:var(--soft)}
tfoot th,tfoot td,.sum th,.sum td{font-weight:600}
td,tfoot td{font-variant-numeric:tabular-nums}
tbody th{font:13px/1.6 var(--mono)}
.sum th{font:600 14px/1.5 var(--text)}
.over{color:var(--bad)}
.bar{display:block;height:6px;margin:4px 0 2px;border-radius:3px;background:var(--raised);overflow:hidden}
.bar span{display:block;height:100%;background:var(--growth)}
.bar.full span{background:var(--bad)}
kbd{padding:1px 6px;border:1px solid var(--line);border-radius:var(--round);font:13px/1.5 var(--mono)}
.toast{position:fixed;inset:auto auto 16px 50%;z-index:2147483647;max-width:calc(100vw - 32px);padding:12px 16px;
translate:-50% 0;border:1px solid var(--signal);border-radius:var(--round);background:var(--ink);color:var(--paper);
font:500 14px/1.4 var(--text);overflow-wrap:anywhere}
.toast:empty{display:none}
.outline{position:fixed;z-index:2147483645;pointer-events:none;outline:2px solid var(--signal);outline-offset:2px;
box-shadow:0 0 0 5px var(--ink);border-radius:2px}
.label{position:absolute;inset:auto auto calc(100% + 6px) 0;padding:4px 8px;border-radius:var(--round);background:var(--ink);
color:var(--paper);font:13px/1.4 var(--mono);white-space:nowrap}
.low .label{inset:calc(100% + 6px) auto auto 0}
.label:empty{display:none}
.ribbon{position:fixed;inset:auto auto 72px 16px;margin:0;z-index:2147483644;padding:8px 14px;border-radius:var(--round);
background:var(--signal);color:var(--ink);font:600 14px/1.3 var(--text);box-shadow:0 4px 16px #0004}
.card{margin:0 0 8px;border-radius:8px;overflow:hidden;background:#fff;color:#1f1f1f;border:1px solid #dadce0}
.card p{margin:0;overflow-wrap:anywhere}
.card img{display:block;width:100%;height:auto;aspect-ratio:1.91;object-fit:cover;background:#e8eaed}
.none{display:grid;place-items:center;aspect-ratio:1.91;background:#e8eaed;color:#4d5156;font:14px/1.4 Arial,sans-serif}
.google{padding:14px 16px;font-family:Arial,sans-serif}
.google .where{display:flex;gap:10px;align-items:center;font-size:12px;line-height:1.3;color:#4d5156}
.google .where img,.google .dot{width:26px;height:26px;aspect-ratio:1;flex:none;border-radius:50%;background:#e8eaed;object-fit:contain;padding:4px}
.google .site{font-size:14px;color:#202124}
.google .title{margin:6px 0 2px;font-size:20px;line-height:1.3;color:#1a0dab}
.google .text{font-size:14px;line-height:1.58;color:#474747}
.linkedin .words{padding:10px 12px 12px;background:#eef3f8;font-family:system-ui,sans-serif}
.clamp{display:-webkit-box;-webkit-box-orient:vertical;overflow:hidden;-webkit-line-clamp:2}
.linkedin .title{font-size:14px;line-height:1.4;font-weight:600;color:#1d1d1d}
.linkedin .site{margin-top:2px;font-size:12px;color:#565656}
.whatsapp{max-width:340px;padding:4px;background:#d9fdd3;border-color:#c5e8be;font-family:system-ui,sans-serif}
.whatsapp .inner{border-radius:6px;overflow:hidden;background:#c9f0c2}
.whatsapp .words{padding:8px 10px}
.whatsapp .title{font-size:14px;line-height:1.35;font-weight:600;color:#111b21}
.whatsapp .text{font-size:13px;line-height:1.4;color:#44545c}
.whatsapp .site{font-size:12px;color:#44545c}
.whatsapp .address{padding:6px 6px 2px;font-size:14px;line-height:1.35;color:#0b5c8a}
.warn{margin:0 0 18px}
.warn li{padding:4px 0;border:0;color:var(--paper);font-size:14px}
.warn li::before{content:"!";display:inline-block;width:18px;margin-inline-end:8px;border-radius:9px;background:var(--signal);
color:var(--ink);font:700 12px/18px var(--text);text-align:center}
.good li::before{content:"✓";background:var(--growth)}
@media (max-width:480px){.head{padding:12px 16px 8px}.body{padding:16px}.tabs{padding:0 8px}}
`);
