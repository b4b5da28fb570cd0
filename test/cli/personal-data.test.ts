import { describe, expect, it, vi } from 'vitest';
import { dataDirectory, prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { run } from '../../src/cli/program.js';
import { asSystem, createBus } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { panelState } from '../../src/commands/state.js';
import { begin, catchUp } from '../../src/events/log/replay.js';
import { openJournal } from '../../src/store/journal.js';
import { draft, inboundDraft, one, userId } from '../kit/builders.js';
import { readAll, temporaryFolder } from '../kit/log.js';

/** The data directory of a stopped panel with two clients, and its command line. */
function place() {
  const { root } = prepareDataDirectory(temporaryFolder());
  const events = () => {
    const { log } = openJournal(dataDirectory(root));
    const all = readAll(log);
    log.close();
    return all;
  };
  const { log } = openJournal(dataDirectory(root));
  const state = begin(panelState);
  catchUp(log, [state]);
  const dispatch = createBus({ log, state, now: Date.now, ownPorts: () => [], closed: () => null });
  const given: readonly AnyCommand[] = [
    { type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } },
    { type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1), draft('bob', 2)] } },
    { type: 'AdjustClientTraffic', data: { email: 'ann', up: 80, down: 5 } },
  ];
  for (const command of given) dispatch(command, asSystem('cli'));
  log.close();
  const cli = async (...argv: readonly string[]) => {
    const written: string[] = [];
    const collect = (text: unknown): boolean => written.push(String(text)) > 0;
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation(collect),
    );
    const env = { PORTOLAN_DATA_DIR: root, PORTOLAN_LANG: 'en' };
    const code = await run(['node', 'portolan', ...argv], env, async () => 0);
    for (const spy of spies) spy.mockRestore();
    return { code, text: written.join('') };
  };
  return { cli, events };
}

describe('portolan personal-data', () => {
  it('exports a client as text and as JSON, and records both', async () => {
    const { cli, events } = place();
    const { text } = await cli('personal-data', 'export', 'ann', '--mask');
    expect(text).toContain('Data of ann');
    expect(text).not.toContain('bob');
    expect(text).not.toContain('11111111-2222');
    const { text: json } = await cli('--json', 'personal-data', 'export', 'ann');
    expect(JSON.parse(json)).toMatchObject({
      email: 'ann',
      accounts: [{ client: 1, credential: { id: '11111111-2222-4333-8444-000000000001' } }],
    });
    expect(events().filter(({ type }) => type === 'PersonalDataExported')).toMatchObject([
      { data: { clients: [1], masked: true } },
      { data: { clients: [1], masked: false } },
    ]);
  });

  it('erases only with --yes, and prints the certificate', async () => {
    const { cli, events } = place();
    const before = events().length;
    expect(await cli('personal-data', 'erase', 'ann')).toMatchObject({ code: 2 });
    expect(events()).toHaveLength(before);
    const { code, text } = await cli('personal-data', 'erase', 'ann', '--yes', '--reason', 'request');
    expect(code).toBe(0);
    expect(text).toContain('Certificate of erasure');
    expect(text).toContain('client:1/addresses');
    expect(JSON.stringify(events())).not.toContain('"ann"');
    expect((await cli('personal-data', 'certificates')).text).toMatch(/clients #1/);
    const position = String(events().length);
    expect((await cli('personal-data', 'certificates', position)).text).toBe(text);
    expect(await cli('personal-data', 'certificates', '1')).toMatchObject({ code: 1 });
  });

  it('places and releases a legal hold, which refuses the erasure', async () => {
    const { cli } = place();
    expect((await cli('personal-data', 'hold', 'ann', '--reason', 'court')).text).toContain('Legal hold 1 is in force');
    expect((await cli('personal-data', 'holds')).text).toMatch(/^1 .* #1 {2}court/);
    const refused = await cli('personal-data', 'erase', 'ann', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.text).toContain('Legal hold 1, placed by');
    expect((await cli('personal-data', 'release', '1')).code).toBe(0);
    expect((await cli('personal-data', 'erase', 'ann', '--yes')).code).toBe(0);
    expect(await cli('personal-data', 'hold', '--from', 'yesterday', '--reason', 'x')).toMatchObject({ code: 2 });
  });
});

describe('portolan webhook', () => {
  it('adds, lists, changes and deletes webhooks, and shows a secret once', async () => {
    const { cli, events } = place();
    const added = JSON.parse((await cli('--json', 'webhook', 'add', 'billing', 'https://example.com/h')).text);
    expect(added).toMatchObject({ webhook: 1, secret: expect.stringMatching(/^whsec_/) as string });
    expect((await cli('webhook', 'list')).text).toBe('1  billing  https://example.com/h  *\n');
    expect((await cli('webhook', 'pause', '1')).code).toBe(0);
    expect((await cli('webhook', 'resume', '1')).code).toBe(0);
    expect((await cli('webhook', 'replay', '1', '2')).code).toBe(0);
    expect((await cli('webhook', 'rotate', '1')).text).toContain('whsec_');
    expect((await cli('webhook', 'remove', '1')).code).toBe(0);
    expect((await cli('webhook', 'remove', '1')).code).toBe(1);
    expect((await cli('webhook', 'add', 'x', 'ftp://example.com')).text).toContain('must begin with https://');
    expect(events().flatMap(({ type }) => (type.startsWith('Webhook') ? [type] : []))).toStrictEqual([
      ...['WebhookAdded', 'WebhookPaused', 'WebhookResumed', 'WebhookReplayRequested', 'WebhookSecretRotated'],
      'WebhookDeleted',
    ]);
  });
});
