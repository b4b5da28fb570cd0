import { describe, expect, it } from 'vitest';
import { alice, bob, clientAdded, DAY, draft, T0 } from '../kit/builders.js';
import { ADMIN, startBot } from './kit.js';

const GB = 1024 ** 3;
const used = (client: number, bytes: number) => [client, 0, bytes] as const;
const record = (...clients: ReturnType<typeof used>[]) =>
  ({ type: 'RecordTraffic', data: { run: 'r1', clients, inbounds: [], outbounds: [] } }) as const;

describe('an admin', () => {
  it('reads how the machine, the core and the backups are', async () => {
    const lastGood = { at: T0, name: 'x', position: 1, bytes: 1, sealed: false };
    const { ask } = await startBot({ clients: [alice, bob], lastGood });
    const { text } = await ask('/status');
    expect(text).toContain('Portolan 1.2.3 on ');
    expect(text.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^Core: version \S+ runs since 2023-11-14 22:13$/),
      'Processor: 12%, load 0.50',
      'Memory: 1.0 GB of 4.0 GB',
      'Disk: 5 B of 1.0 TB',
      'Network: 1 B/s up, 2 B/s down',
      'The machine runs for 25 hours',
      'Clients: 2, 2 may connect, 0 online',
      'Last good backup: 2023-11-14 22:13',
    ]);
  });

  it('reads how a client stands, by its email in any case', async () => {
    const ann = draft('ann', 3, { spec: { capBytes: 3 * GB, expiresAt: T0 + 5 * DAY } });
    const { ask, place, press } = await startBot({
      clients: [ann, draft('first-use', 4, { spec: { expiresAt: -DAY } })],
    });
    place.must(record(used(1, GB)));
    expect((await ask('/usage ANN')).text.split('\n')).toEqual([
      'ann',
      'first: may connect',
      'Cap: 3.0 GB, 2.0 GB left',
      'Ends: 2023-11-19 22:13',
      'Used: 1.0 GB, 0 B up and 1.0 GB down',
      'Last online: 2023-11-14 22:13',
    ]);
    expect((await ask('/usage first-use')).text).toContain('Ends: 1 days after the first use');
    const shown = await ask('/usage@portolan_bot ann');
    place.must(record(used(1, 2 * GB)));
    expect((await press('Refresh', shown)).text).toContain('first: its bytes are used up');
  });

  it('reads who is online and who has used most', async () => {
    const many = Array.from({ length: 12 }, (_, n) => draft(`client-${n}`, n + 1));
    const { ask, place } = await startBot({ clients: many });
    expect((await ask('/online')).text).toBe('Nobody is online');
    expect((await ask('/top')).text).toBe('Nobody has used anything yet');
    place.must(record(...many.map((_, n) => used(n + 1, ((n * 5) % 12) * GB + 1))));
    expect((await ask('/online')).text).toMatch(/^Online: 12\nclient-0\nclient-1\nclient-10\n/);
    const rows = (await ask('/top')).text.split('\n');
    expect(rows).toHaveLength(11);
    expect(rows.slice(0, 3)).toEqual(['Most used', 'client-7: 11.0 GB', 'client-2: 10.0 GB']);
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

  it('searches, page by page, and opens what was found', async () => {
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
    expect((await ask('/search')).text).toBe('Write a part of the email behind the command');
    // A text that is no command is looked for.
    expect((await ask('Müller:3')).text).toBe('Clients that match müller:3: 1, page 1 of 1');
    expect(last()?.keyboard.flat()).toHaveLength(1);
  });

  it('finds by as much of a long text as a button carries', async () => {
    const long = '長'.repeat(60);
    const { ask } = await startBot({
      clients: Array.from({ length: 9 }, (_, n) => draft(`${long}${n}`, n + 1)),
    });
    // The server refuses a button of more than 64 bytes.
    expect((await ask(`/search ${long}`)).text).toBe(`Clients that match ${'長'.repeat(16)}: 9, page 1 of 2`);
  });

  it('reads who is soon over', async () => {
    const { ask, change } = await startBot({
      clients: [
        draft('soon', 1, { spec: { expiresAt: T0 + DAY } }),
        draft('later', 2, { spec: { expiresAt: T0 + 9 * DAY } }),
        draft('full', 3, { spec: { capBytes: GB } }),
        draft('off', 4, { spec: { expiresAt: T0 + DAY, enabled: false } }),
      ],
    });
    expect((await ask('/soon')).text).toBe('Set expireDiff or trafficDiff to see who is soon over');
    change({ expireDiff: 3, trafficDiff: 1 });
    expect((await ask('/soon')).text).toBe(
      'Soon over: 2\nsoon: ∞ left, ends 2023-11-15 22:13\nfull: 1.0 GB left, ends ∞',
    );
  });

  it('gets the list of commands for anything else', async () => {
    const { ask, server } = await startBot();
    expect((await ask('/start')).text).toMatch(/^What this bot can do:\n\/status – The machine/);
    expect((await ask('/drop')).text).toMatch(/^There is no such command\nWhat this bot can do:/);
    const introduced = server.calls.find(({ method }) => method === 'setMyCommands');
    expect(introduced?.fields['commands']).toHaveLength(10);
    expect(introduced?.fields['commands']).toContainEqual({ command: 'online', description: 'Who is online' });
  });

  it('is spoken to in the language of the setting, also after that has changed', async () => {
    const { ask, change, server } = await startBot({ settings: { chatBotLang: 'ru-RU' } });
    expect((await ask('/online')).text).toBe('Никого нет в сети');
    const before = server.polls;
    change({ chatBotLang: 'fa-IR' });
    await expect.poll(() => server.polls).toBeGreaterThan(before);
    expect((await ask('/online')).text).not.toMatch(/[A-Za-zА-я]/);
    change({ chatBotLang: 'vi-VN' });
    expect((await ask('/online')).text).toBe('Nobody is online');
  });
});

describe('names that others choose', () => {
  const hostile = [
    '<b>bold</b>',
    '</code><a href="https://evil.example">x</a>',
    '&lt;i&gt;',
    '@everybody',
    '{client}',
    `${'<'.repeat(200)}`,
    '*_[`](tg://user?id=1)',
  ];

  it.each(hostile)('are shown as they are: %s', async (remark) => {
    // The core knows no email with this letter. The server refuses marks that it does not know, and what is left open.
    const email = remark.replaceAll('>', '');
    const { ask, press } = await startBot({ remark, clients: [draft(email, 1, { identity: { comment: 'find-me' } })] });
    const shown = await ask(`/search find-me`);
    const [[button] = []] = shown.keyboard;
    const card = await press(button?.text ?? '', shown);
    expect(card.text.split('\n').slice(0, 2)).toEqual([email, `${remark}: may connect`]);
    expect(card.html).toContain('<b><code>');
    const question = await press('Disable', card);
    expect(question.text).toBe(`Disable ${email}? Its connections end at once.`);
  });

  it('do not turn the line around, and are cut', async () => {
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

  it('make several messages where they are too long for one', async () => {
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
