import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../kit/log.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { headOf, logOf } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of proofs in the web panel');

describe.skipIf(found === null)('the screen of proofs', () => {
  let web: WebPanel;
  let before = 0;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
  });

  afterAll(async () => web?.close());

  /** The events since the last call. */
  const events = (): readonly { readonly type: string; readonly data: object }[] => {
    const appended = logOf(web.panel.dataDir, before);
    before = headOf(web.panel.dataDir);
    return appended;
  };
  const dialog = (): Locator => web.page.getByRole('dialog');
  const download = async (link: Locator): Promise<string> => {
    const [file] = await Promise.all([web.page.waitForEvent('download'), link.click()]);
    return readFileSync(await file.path(), 'utf8');
  };

  it('publishes heads to a file, and takes a change of the places back', async () => {
    const { page, panel } = web;
    await web.open('proof');
    await web.heading('Proof');
    await page.getByText('No head was signed yet.').waitFor();
    events();
    await page.getByRole('button', { name: 'Add: File' }).click();
    const inside = join(panel.dataDir, 'heads.jsonl');
    await dialog().getByRole('textbox', { name: 'Path of the file' }).fill(inside);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('is inside the data directory').first().waitFor();
    expect(events().map(({ type }) => type)).not.toContain('SettingsChanged');
    const other = join(temporaryFolder(), 'other.txt');
    writeFileSync(other, 'something else');
    await dialog().getByRole('textbox', { name: 'Path of the file' }).fill(other);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByText('failing', { exact: true }).waitFor();
    expect(events().map(({ type }) => type)).toContain('SettingsChanged');
    const file = join(temporaryFolder(), 'heads.jsonl');
    await page.getByRole('button', { name: 'Change: File' }).click();
    await dialog().getByRole('textbox', { name: 'Path of the file' }).fill(file);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('has all heads').waitFor();
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page.getByText('Failing places were tried again.').waitFor();
    await page.getByText('at all places').first().waitFor();
    expect(events().map(({ type }) => type)).toEqual(expect.arrayContaining(['HeadSigned', 'HeadsPublished']));
    expect(readFileSync(file, 'utf8').trim().split('\n').length).toBeGreaterThanOrEqual(2);
    await page.getByRole('button', { name: 'Remove: File' }).click();
    await page.getByRole('button', { name: 'Add: File' }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await page.getByRole('button', { name: 'Change: File' }).waitFor();
  });

  it('gives an outsider all that verifies the log and one event', async () => {
    const { page } = web;
    const folder = temporaryFolder();
    const save = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const verifier = save('verify-log.mjs', await download(page.getByRole('link', { name: 'verify-log.mjs' })));
    const key = save('panel.pem', await download(page.getByRole('button', { name: 'panel.pem' })));
    const log = save('events.jsonl', await download(page.getByRole('link', { name: 'events.jsonl' })));
    const heads = save('heads.jsonl', await download(page.getByRole('link', { name: 'heads.jsonl' })));
    const verify = (...given: readonly string[]): string =>
      execFileSync(process.execPath, [verifier, '--heads', heads, '--key', key, ...given], { encoding: 'utf8' });
    expect(verify(log)).toMatch(/^OK: \d+ events are intact and contain all \d+ published heads/);
    await web.open('audit/2');
    const proof = save('event.json', await download(dialog().getByRole('button', { name: 'Download a proof' })));
    expect(verify('--proof', proof)).toContain('OK: the event at position 2 is in the log');
    expect(web.complaints).toStrictEqual([]);
  });
});
