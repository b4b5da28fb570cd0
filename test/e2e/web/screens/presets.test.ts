import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { parseLink } from '../../../kit/real/client-apps/link-parser.js';
import { type ClientEntry, startClientCore } from '../../../kit/real/client-core.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { untilComplete } from '../../../kit/real/expect-transfer.js';
import { storeTemplate } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { download } from '../../../kit/real/socks.js';
import { startTargets, type Targets } from '../../../kit/real/targets.js';
import { until } from '../../../kit/wait.js';
import { deedsOf, headOf, template } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of the presets of inbounds');
const SUITE = 'the presets of inbounds in the web panel';
const BYTES = 200_000;

const PRESETS = [
  { preset: 'reality', title: 'VLESS + REALITY', question: 'Website to imitate' },
  { preset: 'websocket', title: 'VLESS + WebSocket + TLS', question: 'Domain' },
  { preset: 'hysteria2', title: 'Hysteria2', question: 'Domain' },
  { preset: 'trojan', title: 'Trojan + TLS', question: 'Domain' },
  { preset: 'shadowsocks', title: 'Shadowsocks 2022', question: 'Port' },
] as const;

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let web: WebPanel;
  let targets: Targets;

  beforeAll(async () => {
    targets = await startTargets();
    web = await openWebPanel(found ?? '');
    await storeTemplate(await web.panel.admin(), template(targets));
  });

  afterAll(async () => {
    await web?.close();
    await targets?.stop();
  });

  /** The email of a client that a preset has added. */
  let taken = '';
  const button = (name: string) => web.page.getByRole('button', { name, exact: true });
  const answerTo = (preset: string, port: number): string => {
    if (preset === 'shadowsocks') return String(port);
    return preset === 'reality' ? targets.realityTarget.replace('127.0.0.1', 'localhost') : 'localhost';
  };

  it.each(PRESETS)(
    '$preset: two answers make an inbound with a client, through whose link traffic flows',
    async (one) => {
      const { page } = web;
      const port = await freePort();
      await web.open('inbounds/new');
      await page.getByRole('button', { name: one.title }).click();
      await web.heading(one.title);
      await page.getByRole('textbox', { name: one.question, exact: true }).fill(answerTo(one.preset, port));
      // The proposed port is the well-known one, which a test on the same machine may have as well.
      await page.getByRole('textbox', { name: 'Port', exact: true }).fill(String(port));
      const email = await page.getByLabel('First client').inputValue();
      expect(email).not.toBe('');
      taken = email;
      const before = headOf(web.panel.dataDir);
      await button('Add inbound').click();
      await page.getByText('The inbound is ready').waitFor();
      await page.getByRole('img', { name: `QR code of ${email}` }).waitFor();
      expect(deedsOf(web.panel.dataDir, before)).toStrictEqual(['InboundAdded', 'ClientAdded']);
      const link = (await page.locator('main bdi').filter({ hasText: '://' }).textContent()) ?? '';
      const core = await startClientCore([one.preset === 'websocket' ? await throughCdn(link, port) : link]);
      try {
        await untilComplete('traffic flows', () => download(core.socksPort(0), `${targets.url}/bytes/${BYTES}`));
      } finally {
        await core.stop();
      }
      await page.getByRole('link', { name: 'Open the client' }).click();
      await web.heading(email);
    },
  );

  it('say what is missing, show the request, and put a refusal at its field', async () => {
    const { page } = web;
    await web.open('inbounds/new?preset=trojan');
    const client = page.getByLabel('First client');
    await client.fill(taken);
    await button('Add inbound').click();
    await page.getByText('Fill this in.').waitFor();
    await page.getByLabel('Domain').fill('localhost');
    await page.getByRole('textbox', { name: 'Port', exact: true }).fill(String(await freePort()));
    await button('Show as curl').click();
    await page.getByRole('region', { name: 'Show as curl' }).getByText('/panel/api/inbounds/add').waitFor();
    const before = headOf(web.panel.dataDir);
    await button('Add inbound').click();
    await page.getByText(`Duplicate email: ${taken}`).waitFor();
    expect(await client.getAttribute('aria-invalid')).toBe('true');
    expect(deedsOf(web.panel.dataDir, before)).toStrictEqual([]);
    await client.fill('');
    await button('Add inbound').click();
    await web.heading('Inbounds');
    expect(deedsOf(web.panel.dataDir, before)).toStrictEqual(['InboundAdded']);
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});

/** A CDN has a certificate that clients trust. Here the client trusts that of the inbound, which stands for it. */
async function throughCdn(link: string, port: number): Promise<ClientEntry> {
  let pin = '';
  await until('the inbound accepts connections', async () => {
    pin = await fingerprintAt(port);
    return pin !== '';
  });
  const { outbound } = parseLink(link.replace('?', `?pcs=${pin}&`));
  return outbound;
}

/** The SHA-256 fingerprint of the certificate on a port; empty while nothing listens. */
async function fingerprintAt(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase() ?? '');
      socket.destroy();
    });
    socket.once('error', () => resolve(''));
  });
}
