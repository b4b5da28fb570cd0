import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { draft, inboundDraft, one, userId } from '../../../kit/builders.js';
import { fromCapsule } from '../../../kit/capsule.js';
import { busOver, TestLog } from '../../../kit/log.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { recorded } from '../../support.js';
import { openWebPanel } from '../support.js';

const found = chromiumFor('the test of the recount in the web panel');
const GB = 1024 ** 3;

/** A data directory in which Ahab and Starbuck used bytes; one measurement of Ahab is a jump over his cap. */
function usedBefore() {
  const journal = new TestLog();
  const bus = busOver(journal.log, journal.clock);
  bus.must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ spec: { remark: 'Harbour' } }) } });
  const ahab = draft('ahab', 1, { spec: { capBytes: 5 * GB } });
  bus.must({ type: 'AddClients', data: { inbound: one, clients: [ahab, draft('starbuck', 2)] } });
  const rows: [number, number, number][][] = [
    [
      [1, GB, GB],
      [2, GB, 0],
    ],
    [[1, 20 * GB, 0]],
  ];
  for (const clients of rows)
    bus.must({ type: 'RecordTraffic', data: { run: 'r1', clients, inbounds: [], outbounds: [] } });
  journal.log.close();
  return journal.directory.root;
}

/** The rules of axe-core that the page breaks. */
const AXE = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id))`;
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe.skipIf(found === null)('the recount in the web panel', () => {
  it('ignores a jump for all clients, sets the counters, and takes it back; the bug report has no names', async () => {
    const dataDir = usedBefore();
    const web = await openWebPanel(found ?? '', {}, { PORTOLAN_DATA_DIR: dataDir });
    onTestFinished(() => web.close());
    const { page } = web;
    await web.open('audit');
    await page.getByRole('link', { name: 'Recount' }).click();
    await web.heading('Count traffic again');
    await page.getByRole('button', { name: 'Show the differences' }).click();
    await page.getByText('Choose the node.').waitFor();

    await page.getByLabel('What it does').selectOption('Ignore jumps of a counter');
    await page.getByLabel('Larger than (GB)').fill('10');
    await page.getByRole('button', { name: 'Show the differences' }).click();
    await page.getByText(/^The counters of 1 client would change: together from 22 GB to 2 GB/).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'ahab' });
    expect(await row.getByRole('cell').allTextContents()).toStrictEqual(['22 GB', '2 GB', '−20 GB']);
    expect(recorded(dataDir, 'TrafficRecounted')).toHaveLength(0);
    await page.evaluate(axe.source);
    expect(await page.evaluate(AXE)).toStrictEqual([]);
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate(AXE)).toStrictEqual([]);
    expect(await page.evaluate(OVERFLOW)).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.getByRole('button', { name: 'Apply…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Could connect again (1): ahab').waitFor();
    await dialog.getByRole('button', { name: 'Set the counters' }).click();
    await page.getByText('The counters are set.').waitFor();
    const [recounted] = recorded(dataDir, 'TrafficRecounted');
    expect(recounted?.data).toMatchObject({ rules: [{ moreThan: 10 * GB, count: 0 }], clients: 1 });
    const [adjusted] = recorded(dataDir, 'ClientTrafficAdjusted');
    expect(adjusted?.data).toStrictEqual({ client: 1, up: GB, down: GB, before: { up: 21 * GB, down: GB } });
    expect(adjusted?.meta.causationId).toBe(recounted?.id);
    expect(recorded(dataDir, 'ClientReactivated')).toHaveLength(1);

    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => recorded(dataDir, 'ClientTrafficAdjusted').length).toBe(2);
    expect(recorded(dataDir, 'ClientTrafficAdjusted').at(-1)?.data).toMatchObject({ up: 21 * GB, down: GB });

    await web.open('audit/recount?scope=client&client=zoe');
    await page.getByText('JSON', { exact: true }).click();
    await page.getByLabel('Rules as JSON').fill('[{ "count": 0.5, "from": "yesterday" }]');
    await page.getByRole('button', { name: 'Show the differences' }).click();
    await page.getByText('Client zoe not found').waitFor();
    await page.getByLabel('Email of the client').fill('ahab');
    await page.getByRole('button', { name: 'Show the differences' }).click();
    await page.getByText(/rules\.0\.from: is not a day/).waitFor();

    await web.open('clients/ahab');
    const report = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Bug report' }).click();
    const file = await (await report).path();
    expect(readFileSync(file, 'utf8')).not.toMatch(/ahab|Harbour/);
    expect(fromCapsule(file).header.clients).toStrictEqual([1]);
    expect(web.complaints).toStrictEqual([]);
  });
});
