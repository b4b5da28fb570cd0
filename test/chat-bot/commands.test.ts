import { describe, expect, it } from 'vitest';
import { alice, bob, clientAdded, DAY, draft, T0 } from '../kit/builders.js';
import { ADMIN, startBot } from './kit.js';

const GB = 1024 ** 3;
const used = (client: number, bytes: number) => [client, 0, bytes] as const;
const record = (...clients: ReturnType<typeof used>[]) =>
  ({ type: 'RecordTraffic', data: { run: 'r1', clients, inbounds: [], outbounds: [] } }) as const;

describe('an admin', () => {
  it('gets the state of the machine, the core and the backups', async () => {
    const lastGood = { at: T0, name: 'x', position: 1, bytes: 1, sealed: false };
    const { ask } = await startBot({ clients: [alice, bob], lastGood });
    const { text } = await ask('/status');
    expect(text).toContain('Portolan 1.2.3 on ');
    expect(text.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^Core: version \S+, running since 2023-11-14 22:13$/),
      'CPU: 12%, load 0.50',
      'Memory: 1 GB of 4 GB',
      'Disk: 5 bytes of 1 TB',
      'Network: 1 byte/s up, 2 bytes/s down',
      'Uptime: 25 hours',
      'Clients: 2, 2 may connect, 0 online',
      'Last verified backup: 2023-11-14 22:13',
    ]);
  });

  it('gets the state of a client, by its email in any case', async () => {
    const ann = draft('ann', 3, { spec: { capBytes: 3 * GB, expiresAt: T0 + 5 * DAY } });
    const { ask, place, press } = await startBot({
      clients: [ann, draft('first-use', 4, { spec: { expiresAt: -DAY } })],
    });
    place.must(record(used(1, GB)));
    expect((await ask('/usage ANN')).text.split('\n')).toEqual([
      'ann',
      'first: may connect',
      'Traffic cap: 3 GB, 2 GB left',
      'Expires: 2023-11-19 22:13',
      'Used: 1 GB, 0 bytes up and 1 GB down',
      'Last online: 2023-11-14 22:13',
    ]);
    expect((await ask('/usage first-use')).text).toContain('Expires: 1 day after first use');
    const shown = await ask('/usage@portolan_bot ann');
    place.must(record(used(1, 2 * GB)));
    expect((await press('Refresh', shown)).text).toContain('first: its traffic cap is used up');
  });

  it('gets the online clients and the top users', async () => {
    const many = Array.from({ length: 12 }, (_, n) => draft(`client-${n}`, n + 1));
    const { ask, place } = await startBot({ clients: many });
    expect((await ask('/online')).text).toBe('No client is online');
    expect((await ask('/top')).text).toBe('No client has used any traffic yet');
    place.must(record(...many.map((_, n) => used(n + 1, ((n * 5) % 12) * GB + 1))));
    expect((await ask('/online')).text).toMatch(/^Online: 12\nclient-0\nclient-1\nclient-10\n/);
    const rows = (await ask('/top')).text.split('\n');
    expect(rows).toHaveLength(11);
    expect(rows.slice(0, 3)).toEqual(['Most traffic', 'client-7: 11 GB', 'client-2: 10 GB']);
  });

  it.each(['abc', '-1', '0.5', '1e99'])(
    'sees the first or the last page for a forged button of page %s',
    async (page) => {
      const { ask, server, last } = await startBot({ clients: [draft('find-me', 4)] });
      await ask('/search find');
      const shown = last();
      if (!shown) throw new Error('there is no message');
      server.press(ADMIN, ADMIN, shown, { data: `find:${page}:m` });
      await expect.poll(() => shown.text).toBe('Clients that match m: 1, page 1 of 1');
    },
  );

  it('searches page by page, and opens a result', async () => {
    const { ask, press, last } = await startBot({
      clients: Array.from({ length: 10 }, (_, n) => draft(`Müller:${n}@example.com`, n + 1)),
    });
    const shown = await ask('/search mÜLLER:');
    expect(shown.text).toBe('Clients that match müller:: 10, page 1 of 2');
    expect(shown.keyboard.map((row) => row.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect((await press('»', shown)).text).toBe('Clients that match müller:: 10, page 2 of 2');
    expect(shown.keyboard.flat().map(({ text }) => text)).toEqual([
      'Müller:8@example.com',
      'Müller:9@example.com',
      '«',
    ]);
    expect((await press('Müller:9@example.com', shown)).text).toMatch(/^Müller:9@example\.com\n/);
    expect((await ask('/search nobody')).text).toBe('No client matches nobody');
    expect((await ask('/search')).text).toBe('Add part of the email after the command');
    // A text that is no command is looked for.
    expect((await ask('Müller:3')).text).toBe('Clients that match müller:3: 1, page 1 of 1');
    expect(last()?.keyboard.flat()).toHaveLength(1);
  });

  it('finds by the part of a long text that fits into a button', async () => {
    const long = '長'.repeat(60);
    const { ask } = await startBot({
      clients: Array.from({ length: 9 }, (_, n) => draft(`${long}${n}`, n + 1)),
    });
    // The server refuses a button of more than 64 bytes.
    expect((await ask(`/search ${long}`)).text).toBe(`Clients that match ${'長'.repeat(16)}: 9, page 1 of 2`);
  });

  it('gets the clients that are nearly depleted', async () => {
    const { ask, change } = await startBot({
      clients: [
        draft('soon', 1, { spec: { expiresAt: T0 + DAY } }),
        draft('later', 2, { spec: { expiresAt: T0 + 9 * DAY } }),
        draft('full', 3, { spec: { capBytes: GB } }),
        draft('off', 4, { spec: { expiresAt: T0 + DAY, enabled: false } }),
      ],
    });
    expect((await ask('/soon')).text).toBe(
      'Set expireDiff or trafficDiff to see clients that are close to their expiry or traffic cap',
    );
    change({ expireDiff: 3, trafficDiff: 1 });
    expect((await ask('/soon')).text).toBe(
      'Close to their expiry or traffic cap: 2\nsoon: ∞ left, expires 2023-11-15 22:13\nfull: 1 GB left, expires ∞',
    );
  });

  it('gets the list of commands for any other message', async () => {
    const { ask, server } = await startBot();
    expect((await ask('/start')).text).toMatch(/^Commands:\n\/status – The host/);
    expect((await ask('/drop')).text).toMatch(/^Unknown command\nCommands:/);
    const introduced = server.calls.find(({ method }) => method === 'setMyCommands');
    expect(introduced?.fields['commands']).toHaveLength(10);
    expect(introduced?.fields['commands']).toContainEqual({
      command: 'online',
      description: 'Clients that are online',
    });
  });

  it('is answered in the configured language, also after a change', async () => {
    const { ask, change, server } = await startBot({ settings: { chatBotLang: 'ru-RU' } });
    expect((await ask('/online')).text).toBe('Ни один клиент не в сети');
    const before = server.polls;
    change({ chatBotLang: 'fa-IR' });
    await expect.poll(() => server.polls).toBeGreaterThan(before);
    expect((await ask('/online')).text).not.toMatch(/[A-Za-zА-я]/);
    change({ chatBotLang: 'vi-VN' });
    expect((await ask('/online')).text).toBe('No client is online');
  });
});

describe('names chosen by users', () => {
  const hostile = [
    '<b>bold</b>',
    '</code><a href="https://evil.example">x</a>',
    '&lt;i&gt;',
    '@everybody',
    '{client}',
    `${'<'.repeat(200)}`,
    '*_[`](tg://user?id=1)',
  ];

  it.each(hostile)('are shown unchanged: %s', async (remark) => {
    // The core accepts no email with this letter. The server rejects unknown and unclosed tags.
    const email = remark.replaceAll('>', '');
    const { ask, press } = await startBot({ remark, clients: [draft(email, 1, { identity: { comment: 'find-me' } })] });
    const shown = await ask(`/search find-me`);
    const [[button] = []] = shown.keyboard;
    const card = await press(button?.text ?? '', shown);
    expect(card.text.split('\n').slice(0, 2)).toEqual([email, `${remark}: may connect`]);
    expect(card.html).toContain('<b><code>');
    const question = await press('Disable', card);
    expect(question.text).toBe(`Disable ${email}? Its connections will be closed immediately.`);
  });

  it('do not change the text direction, and are cut', async () => {
    const { ask, place } = await startBot();
    // A name as an earlier release took it.
    place.panel.log.append([clientAdded(draft(`\u202eevil${'x'.repeat(200)}`, 1))], {
      ...{ at: place.panel.now(), actor: { kind: 'system', id: 'import', name: 'import', ip: null } },
      correlationId: '00000000-0000-4000-8000-000000000001',
    });
    const shown = await ask('evil');
    expect(shown.text).toContain('Clients that match evil');
    expect(JSON.stringify(shown.keyboard)).not.toContain('\u202e');
  });

  it('are split into several messages when they are too long for one', async () => {
    const clients = Array.from({ length: 50 }, (_, n) =>
      draft(`${String(n).padStart(3, '0')}-${'&'.repeat(180)}`, n + 1),
    );
    const { ask, place, server } = await startBot({ clients });
    place.must(record(...clients.map((_, n) => used(n + 1, 1))));
    await ask('/online');
    await expect.poll(() => server.chat(ADMIN).length).toBe(3);
    const lines = server.chat(ADMIN).flatMap(({ text }) => text.split('\n'));
    expect(lines).toEqual(['Online: 50', ...clients.map(({ identity }) => identity.email)]);
  });
});
