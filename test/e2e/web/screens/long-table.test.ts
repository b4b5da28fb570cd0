import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { until } from '../../../kit/wait.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of long tables in the web panel');
const CLIENTS = 300;

/** Scrolls by 120 px with each frame, as the benchmark does. */
const scroll = (frames: number): string => `new Promise((resolve) => {
  const scroller = document.querySelector('[role=table]').parentElement;
  let left = ${frames};
  const step = () => {
    if (left === 0) return resolve();
    left -= 1;
    scroller.scrollTop += 120;
    requestAnimationFrame(step);
  };
  step();
})`;
/** The rows in the document, in its order: their numbers, and whether each is an element that was marked. */
const ROWS = `[...document.querySelectorAll('[role=rowgroup] > [role=row]')]
  .map((row) => ({ index: Number(row.getAttribute('aria-rowindex')), isMarked: row.isMarked === true }))`;
const MARK = `document.querySelectorAll('[role=rowgroup] > [role=row]').forEach((row) => { row.isMarked = true; })`;
/** The focus goes to the switch of the row in the middle; returns its name. */
const FOCUS = `(() => {
  const { left, top, width, height } = document.querySelector('[role=table]').parentElement.getBoundingClientRect();
  const row = document.elementFromPoint(left + width / 2, top + height / 2).closest('[role=row]');
  row.querySelector('[role=switch]').focus();
  return document.activeElement.getAttribute('aria-label');
})()`;

interface Shown {
  readonly index: number;
  readonly isMarked: boolean;
}

describe.skipIf(found === null)('a long table of the web panel', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const clients = Array.from({ length: CLIENTS }, (_, n) => ({
      id: crypto.randomUUID(),
      email: `krill-${1000 + n}`,
    }));
    const settings = JSON.stringify({ clients, decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, remark: 'Harbour', listen: '127.0.0.1', protocol: 'vless', settings, ...stream };
    await must((await web.panel.admin()).post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
  });

  afterAll(async () => web?.close());

  const rows = () => web.page.evaluate<readonly Shown[]>(ROWS);
  const focused = () => web.page.evaluate<string | null>(`document.activeElement.getAttribute('aria-label')`);
  /** At rest, the rows are in the document as they are on the screen. */
  const atRest = (from: number): Promise<true> =>
    until('the rows are in order', async () => {
      const shown = await rows();
      const first = shown[0]?.index ?? 0;
      return first >= from && shown.every(({ index }, n) => index === first + n);
    });

  beforeEach(async () => {
    await web.page.goto('about:blank');
    await web.open('clients');
    await web.page.getByRole('link', { name: 'krill-1000' }).waitFor();
  });

  it('keeps its elements while it scrolls, and is in order afterwards', async () => {
    const { page } = web;
    await page.evaluate(MARK);
    const before = await rows();
    expect(before.length).toBeLessThan(60);
    await page.evaluate(scroll(60));
    await atRest(100);
    const after = await rows();
    expect(after).toHaveLength(before.length);
    expect(after.filter(({ isMarked }) => !isMarked)).toStrictEqual([]);
    await page.getByRole('link', { name: `krill-${1000 + (after[0]?.index ?? 0) - 2}` }).waitFor();
  });

  it('keeps the focus of a row that stays in view', async () => {
    const { page } = web;
    await page.evaluate(scroll(10));
    await atRest(10);
    const name = await page.evaluate<string>(FOCUS);
    await page.evaluate(scroll(2));
    await atRest(15);
    expect(await focused()).toBe(name);
  });

  it('keeps a focus that comes while it scrolls', async () => {
    const { page } = web;
    await page.evaluate(scroll(10));
    const name = await page.evaluate<string>(FOCUS);
    await page.evaluate(scroll(1));
    await atRest(10);
    expect(await focused()).toBe(name);
  });

  it('takes the focus from a row that leaves the view', async () => {
    const { page } = web;
    await page.evaluate(FOCUS);
    await page.evaluate(scroll(60));
    await atRest(100);
    expect(await page.evaluate(`document.activeElement === document.body`)).toBe(true);
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
