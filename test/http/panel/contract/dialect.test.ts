import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CoreStub } from '../../../kit/stub-core.js';
import { startPanel } from '../../kit/panel.js';

const dialects = ['spec', '3x-ui'] as const;
type Dialect = (typeof dialects)[number];

const ID = '3f0c7f3a-7a4e-4a5e-9a41-1d1f6e7c0a11';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const AT = Date.UTC(2026, 4, 13, 12);
const ACCESS = '2026/05/13 12:00:01.000001 from 1.2.3.4:5 accepted tcp:a.example:443 [home -> direct] email: one';
const template = { log: { access: 'access.log' }, outbounds: [{ tag: 'direct', protocol: 'freedom', settings: {} }] };
const SERVER = '/panel/api/server';
const INBOUNDS = '/panel/api/inbounds';

/** The part of a core that the rows need. */
const core: CoreStub = {
  process: { appliedTemplate: () => template },
  keys: {
    mldsa65: async () => ({ seed: 's', verify: 'v' }),
    mlkem768: async () => ({ seed: 's', client: 'c' }),
    vlessEncryption: async () => [
      { label: 'X25519, not Post-Quantum', encryption: 'e', decryption: 'd' },
      { label: 'ML-KEM-768, Post-Quantum', encryption: 'e', decryption: 'd' },
    ],
    ech: async () => ({ serverKeys: 'keys', configList: 'list' }),
  },
};

/** A panel with one client that was online, and lines in both logs. */
async function start(apiDialect: Dialect) {
  const settings = { apiDialect, subJsonEnable: true, trustedProxyCIDRs: ['10.0.0.0/8', '127.0.0.1/32'] };
  const panel = await startPanel({ core, settings });
  const browser = await panel.browser().login();
  const { json } = await browser.post(`${INBOUNDS}/add`, {
    ...{ enable: true, remark: 'home', port: 4433, protocol: 'vless', tag: 'home' },
    settings: { clients: [{ id: ID, email: 'one', subId: 'sub-of-one', enable: true }], decryption: 'none' },
    streamSettings: { network: 'tcp', security: 'none' },
  });
  expect(json).toMatchObject({ success: true });
  const clients = [[1, 1, 2]] as const;
  panel.given({ type: 'RecordTraffic', data: { run: 'r', clients, inbounds: [], outbounds: [] } });
  writeFileSync(join(panel.folder, 'access.log'), `${ACCESS}\n`);
  for (const [index, msg] of ['first', 'second'].entries())
    panel.lines.add(JSON.stringify({ level: 40, time: AT + index * 1000, msg }));
  const post = async (path: string, body?: object): Promise<unknown> => (await browser.post(path, body)).json;
  return {
    panel,
    post,
    get: async (path: string): Promise<unknown> => (await browser.get(path)).json,
    /** The reply of the subscription server. */
    subscription: async (path: string): Promise<unknown> => (await fetch(panel.subscriptions + path)).json(),
  };
}
type Place = Awaited<ReturnType<typeof start>>;

const done = (obj: unknown) => ({ success: true, msg: '', obj });
const refused = { success: false, obj: null };
const one = { email: 'one', uuid: ID, up: 1, down: 2 };
const time = (like: RegExp): unknown => expect.stringMatching(like);
const ours = { type: 'geosite', alias: 'geosite', builtIn: true };

interface Row {
  /** Where the source distinguishes the dialects. */
  readonly file: string;
  readonly what: string;
  readonly ask: (place: Place) => Promise<unknown>;
  /** The expected reply in each dialect. */
  readonly answers: Readonly<Record<Dialect, unknown>>;
}

const rows: readonly Row[] = [
  {
    file: 'http/panel/handlers/clients/clients.ts',
    what: 'a client by its UUID: one, or a list',
    ask: ({ get }) => get(`${INBOUNDS}/getClientTrafficsById/${ID}`),
    answers: { spec: done(one), '3x-ui': done([one]) },
  },
  {
    file: 'http/panel/handlers/clients/clients.ts',
    what: 'a client by its subscription id, which 3x-ui does not look for',
    ask: ({ get }) => get(`${INBOUNDS}/getClientTrafficsById/sub-of-one`),
    answers: { spec: done(one), '3x-ui': done([]) },
  },
  {
    file: 'http/panel/handlers/clients/clients.ts',
    what: 'a client that there is not: a refusal, or none',
    ask: ({ get }) => get(`${INBOUNDS}/getClientTrafficsById/${NOBODY}`),
    answers: { spec: refused, '3x-ui': done([]) },
  },
  {
    file: 'http/panel/handlers/clients/clients.ts',
    what: 'when clients were seen: rows of seconds, or milliseconds by email',
    ask: ({ post }) => post(`${INBOUNDS}/lastOnline`),
    answers: {
      spec: done([{ email: 'one', lastOnline: within(1e9, 1e10) }]),
      '3x-ui': done({ one: within(1e12, 1e13) }),
    },
  },
  {
    file: 'http/panel/handlers/inbounds/keygen.ts',
    what: 'a UUID: the text, or an object with it',
    ask: ({ get }) => get(`${SERVER}/getNewUUID`),
    answers: { spec: done(time(/^[\da-f-]{36}$/)), '3x-ui': done({ uuid: time(/^[\da-f-]{36}$/) }) },
  },
  {
    file: 'http/panel/handlers/inbounds/keygen.ts',
    what: 'the ids of VLESS encryptions: numbers, or names',
    ask: ({ get }) => get(`${SERVER}/getNewVlessEnc`),
    answers: {
      spec: done({ auths: [{ id: 1 }, { id: 2 }] }),
      '3x-ui': done({ auths: [{ id: 'x25519' }, { id: 'mlkem768' }] }),
    },
  },
  {
    file: 'http/panel/handlers/inbounds/keygen.ts',
    what: 'the server keys of ECH: a list, or a text',
    ask: ({ post }) => post(`${SERVER}/getNewEchCert`, { sni: 'a.example' }),
    answers: {
      spec: done({ echServerKeys: ['keys'], echKeySet: 'keys', echConfigList: 'list' }),
      '3x-ui': done({ echServerKeys: 'keys', echConfigList: 'list' }),
    },
  },
  {
    file: 'http/panel/handlers/core/logs.ts',
    what: 'the log of the panel: one text, oldest first, or lines, newest first',
    ask: ({ post }) => post(`${SERVER}/logs/10`, { level: 'warning' }),
    answers: {
      spec: done(time(/^.* WARNING - first\n.* WARNING - second$/)),
      '3x-ui': done([time(/second$/), time(/first$/)]),
    },
  },
  {
    file: 'http/panel/handlers/core/logs.ts',
    what: 'the log of the core: one text, or entries',
    ask: ({ post }) => post(`${SERVER}/corelogs/10`),
    answers: { spec: done(ACCESS), '3x-ui': done([{ Email: 'one', Inbound: 'home', Outbound: 'direct', Event: 0 }]) },
  },
  {
    file: 'http/panel/handlers/core/logs.ts',
    what: 'the same with one kind wanted: only that, or all that are not unwanted',
    ask: ({ post }) => post(`${SERVER}/corelogs/10`, { showBlocked: 'true' }),
    answers: { spec: done(''), '3x-ui': done([{ Email: 'one' }]) },
  },
  {
    file: 'http/panel/handlers/core/settings.ts',
    what: 'the core settings: an object of texts, or one text of all',
    ask: ({ post }) => post('/panel/core/'),
    answers: {
      spec: done({ coreSetting: time(/^\{\n/), inboundTags: '["home"]', clientReverseTags: '[]' }),
      '3x-ui': done(
        textOf({ xraySetting: expect.any(Object) as unknown, inboundTags: ['home'], clientReverseTags: [] }),
      ),
    },
  },
  {
    file: 'http/panel/handlers/core/settings.ts',
    what: 'the same under the name of 3x-ui',
    ask: ({ post }) => post('/panel/api/xray/'),
    answers: { spec: done({ inboundTags: '["home"]' }), '3x-ui': done(textOf({ outboundTestUrl: time(/^https/) })) },
  },
  {
    file: 'http/panel/handlers/core/custom-geo.ts',
    what: 'the names for routing rules: with those of the built-in files, or only one’s own',
    ask: ({ get }) => get('/panel/api/custom-geo/aliases'),
    answers: {
      spec: done({ geosite: expect.arrayContaining([expect.objectContaining(ours)]) as unknown }),
      '3x-ui': done({ geosite: null, geoip: null }),
    },
  },
  {
    file: 'http/panel/handlers/core/custom-geo.ts',
    what: 'a list of nothing: empty, or null',
    ask: ({ post }) => post('/panel/api/custom-geo/update-all'),
    answers: {
      spec: { success: true, obj: { succeeded: [], failed: [] } },
      '3x-ui': { success: true, obj: { succeeded: null, failed: null } },
    },
  },
  {
    file: 'http/panel/codec/settings.ts',
    what: 'the trusted proxies: a list, or a text with commas',
    ask: ({ post }) => post('/panel/setting/all'),
    answers: {
      spec: done({ trustedProxyCIDRs: ['10.0.0.0/8', '127.0.0.1/32'] }),
      '3x-ui': done({ trustedProxyCIDRs: '10.0.0.0/8,127.0.0.1/32' }),
    },
  },
  {
    file: 'projections/subscription/formats/render.ts',
    what: 'a JSON subscription of one configuration: a list of it, or bare',
    ask: ({ subscription }) => subscription('/json/sub-of-one'),
    answers: { spec: [{ remarks: time(/home/) }], '3x-ui': { remarks: time(/home/) } },
  },
];

/** A number in a range. */
function within(from: number, to: number): unknown {
  return expect.toSatisfy((value: unknown) => typeof value === 'number' && value > from && value < to);
}

/** A JSON string with this value. */
function textOf(members: object): unknown {
  return expect.toSatisfy((value: unknown) => {
    if (typeof value !== 'string') return false;
    expect(JSON.parse(value)).toMatchObject(members);
    return true;
  });
}

describe('each dialect', () => {
  it.each(dialects)('has its own replies to %s', async (dialect) => {
    const place = await start(dialect);
    const { log } = place.panel;
    const head = log.head().position;
    for (const { what, ask, answers } of rows) {
      const answer = await ask(place);
      expect(answer, what).toMatchObject(answers[dialect] as object);
      // The reply of one dialect must not match the other, or there would be no difference.
      const other = answers[dialect === 'spec' ? '3x-ui' : 'spec'];
      expect(() => expect(answer).toMatchObject(other as object), what).toThrow();
    }
    expect(log.read(head, 10)).toStrictEqual([]);
  });
});

describe('the table above', () => {
  it('has a row for each place in the source that depends on the dialect', () => {
    const source = join(import.meta.dirname, '../../../../src');
    const asks = (file: string): boolean => /apiDialect === '/.test(readFileSync(join(source, file), 'utf8'));
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && asks(file),
    );
    expect([...new Set(rows.map(({ file }) => file))].sort()).toStrictEqual(files.sort());
  });
});
