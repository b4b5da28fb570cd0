import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { geositeFile } from '../../kit/geo.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { type Admin, loopbackTemplate, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { type ReleaseServer, startReleaseServer } from '../../kit/real/servers/release-server.js';
import { download } from '../../kit/real/socks.js';
import { headOf, logOf, recorded, until } from '../support.js';

const prefix = '/panel/api/custom-geo';
const allow = { finalRules: [{ action: 'allow' }] };

/** A web server that replies with its name. */
async function target(name: string): Promise<Server> {
  const server = createServer((_, response) => response.end(name));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe.skipIf(withoutCore('custom geo'))('custom geo sources', () => {
  let lists: ReleaseServer;
  let here: Server;
  let elsewhere: Server;
  let panel: PanelProcess;
  let admin: Admin;
  let socks: number;
  /** The server that replies to a client that requests `localhost` through the core. */
  const answered = async (): Promise<string> =>
    (await download(socks, `http://localhost:${portOf(here)}/`, { totalMs: 3000 })).text;
  const rule = (domain: string): Promise<unknown> => {
    const template = loopbackTemplate({
      outbounds: [
        { tag: 'direct', protocol: 'freedom', settings: allow },
        { tag: 'other', protocol: 'freedom', settings: { ...allow, redirect: `127.0.0.1:${portOf(elsewhere)}` } },
      ],
      routing: { domainStrategy: 'AsIs', rules: [{ type: 'field', domain: [domain], outboundTag: 'other' }] },
    });
    return must(admin.form('/panel/core/update', { coreSetting: JSON.stringify(template) }));
  };
  const ruleSet = (...domain: string[]): string => JSON.stringify({ version: 1, rules: [{ domain }] });
  const add = (alias: string, path: string): Promise<unknown> =>
    must(admin.post(`${prefix}/add`, { type: 'geosite', alias, url: `${lists.url}${path}` }));
  const deeds = (after: number): string[] =>
    logOf(panel.dataDir, after)
      .map(({ type }) => type)
      .filter((type) => /^(Geo|Core)/.test(type));

  beforeAll(async () => {
    lists = await startReleaseServer();
    [here, elsewhere] = await Promise.all([target('here'), target('elsewhere')]);
    panel = await startPanel({ env: lists.env, template: loopbackTemplate() });
    admin = await panel.admin();
    socks = await freePort();
    const settings = JSON.stringify({ auth: 'noauth', udp: false });
    const inbound = { enable: true, remark: 'in', listen: '127.0.0.1', port: socks, protocol: 'socks', settings };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, streamSettings: '{}', sniffing: '{}' }));
  });
  afterAll(async () => {
    await panel?.cleanUp();
    await lists?.stop();
    for (const server of [here, elsewhere]) server?.close();
  });

  it('route traffic as their lists say, even after a list has changed', async () => {
    lists.put('/mylist.json', ruleSet('localhost'));
    await add('mylist', '/mylist.json');
    await rule('ext:geosite_mylist.dat:mylist');
    await until('the rule', async () => (await answered()) === 'elsewhere');

    lists.put('/mylist.json', ruleSet('nobody.example'), new Date('2026-11-20'));
    const head = headOf(panel.dataDir);
    expect(await must(admin.post(`${prefix}/update-all`))).toMatchObject({ succeeded: [{ id: 1 }], failed: [] });
    await until('the core', () => recorded(panel.dataDir, 'CoreStarted', head).length === 1);
    await until('the new list', async () => (await answered()) === 'here');
    expect(deeds(head)).toEqual(['GeoSourceDownloaded', 'CoreRestartRequested', 'CoreStopped', 'CoreStarted']);
  });

  it('keep a list that the core needs, if the new one is invalid or the list is to be deleted', async () => {
    lists.put('/tags.dat', geositeFile('ADS', 'localhost'));
    await add('tags', '/tags.dat');
    await rule('ext:geosite_tags.dat:ads');
    await until('the rule', async () => (await answered()) === 'elsewhere');

    const file = join(panel.dataDir, 'geo', 'geosite_tags.dat');
    const before = readFileSync(file);
    const head = headOf(panel.dataDir);
    lists.put('/tags.dat', geositeFile('CN', 'localhost'), new Date('2026-11-20'));
    const answer = await admin.post(`${prefix}/download/2`);
    expect(answer).toMatchObject({
      success: false,
      msg: 'Download failed: routing rules use lists that the new file does not contain: ADS',
    });
    expect(readFileSync(file)).toEqual(before);
    expect(await admin.post(`${prefix}/delete/2`)).toMatchObject({
      success: false,
      msg: 'The core uses geosite_tags.dat: routing.rules[0].domain[0]',
    });
    expect(deeds(head)).toEqual(['GeoSourceFailed']);
    expect(await answered()).toBe('elsewhere');
  });

  it('are downloaded again after their folder was deleted, and the core runs with them', async () => {
    lists.put('/tags.dat', geositeFile('ADS', 'localhost'), new Date('2026-11-21'));
    const { dataDir, ports } = panel;
    await panel.stop();
    rmSync(join(dataDir, 'geo'), { recursive: true });
    const head = headOf(dataDir);
    panel = await startPanel({ env: lists.env, dataDir, ports });
    await until('the files', () => recorded(dataDir, 'GeoSourceDownloaded', head).length === 2);
    await until('the core', async () => (await answered()) === 'elsewhere');
  });
});
