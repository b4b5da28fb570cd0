import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { canonicalJson } from '../../../../src/lib/json.js';
import { type Answer, startPanel } from '../../kit/panel.js';

const PASSWORD = 'pass1234';
const FORM = '/panel/api/inbounds/overview/1';
const CLIENT = '/panel/api/clients/bob/details';

async function panelWithAuditor() {
  const panel = await startPanel();
  const owner = await panel.browser().login();
  const add = async (body: object) => {
    const common = {
      enable: true,
      sniffing: '{"enabled":false}',
      streamSettings: '{"network":"tcp","security":"none"}',
    };
    const answer = await owner.post('/panel/api/inbounds/add', { ...common, ...body });
    expect(answer.json, answer.text).toMatchObject({ success: true });
  };
  await add({
    ...{ remark: 'r', protocol: 'socks', port: 2445 },
    settings: JSON.stringify({ auth: 'password', accounts: [{ user: 'sue', pass: PASSWORD }] }),
  });
  await add({
    ...{ remark: 't', protocol: 'trojan', port: 2446 },
    settings: JSON.stringify({ clients: [{ password: PASSWORD, email: 'bob', enable: true }] }),
  });
  panel.given({ type: 'ChangeSettings', data: { changes: { ldapPassword: PASSWORD } } });
  const access = { role: 'auditor', inbounds: [], quotas: NO_QUOTAS };
  panel.given({ type: 'CreateUser', data: { username: 'auditor', passwordHash: 'plain long enough', access } });
  const auditor = await panel.browser().login({ username: 'auditor', password: 'long enough' });
  return { panel, owner, auditor };
}

/** The digest in an `ETag`. */
const contentOf = ({ headers }: Answer): string => /@\d+-([0-9a-f]{20})"$/.exec(headers.get('etag') ?? '')?.[1] ?? '';

/** Each digest that a reader can compute of a guess of a content. */
const digestsOf = (...guesses: readonly unknown[]): readonly string[] =>
  guesses.flatMap((guess) =>
    [canonicalJson(guess), JSON.stringify(guess)].map((text) => hash('sha256', text).slice(0, 20)),
  );

describe('the version of a document with secrets', () => {
  it('does not confirm a guess of a password in an inbound', async () => {
    const { auditor, owner } = await panelWithAuditor();
    const answer = await auditor.get(FORM);
    const { obj } = answer.json as { obj: { version: string; settings: object } };
    expect(obj.settings).toMatchObject({ accounts: [{ user: 'sue', pass: '***' }] });
    const whole = (await owner.get(FORM)).json as { obj: Record<string, unknown> };
    expect(whole.obj['settings']).toMatchObject({ accounts: [{ user: 'sue', pass: PASSWORD }] });
    const { version, id: _, nodeId: __, clients: ___, machine: ____, ...content } = whole.obj;
    expect(version).toBe(obj.version);
    const guesses = digestsOf(content);
    expect(guesses).not.toContain(obj.version.slice(0, 20));
    const versions = [obj.version, hash('sha256', canonicalJson(content)).slice(0, 32)];
    const forms = versions.map((guessed) => ({ ...whole.obj, version: guessed }));
    expect(digestsOf(...forms)).not.toContain(contentOf(answer));
  });

  it('does not confirm a guess of a password of a client', async () => {
    const { auditor, owner, panel } = await panelWithAuditor();
    const answer = await auditor.get(CLIENT);
    const [shown] = (answer.json as { obj: { version: string; client: object }[] }).obj;
    expect(shown?.client).toMatchObject({ password: '***' });
    const { json } = await owner.get(CLIENT);
    const [whole] = (json as unknown as { obj: { client: Record<string, unknown> }[] }).obj;
    expect(whole?.client).toMatchObject({ password: PASSWORD });
    const { created_at: _, updated_at: __, ...content } = whole?.client ?? {};
    expect(shown?.version).toMatch(/^[0-9a-f]{32}$/);
    expect(digestsOf(content)).not.toContain(shown?.version.slice(0, 20));
    const stored = panel.read.clients
      .byEmail('bob')
      .map(({ inbound, spec, identity, credential }) => ({ inbound, spec, identity, credential }));
    expect(stored).toHaveLength(1);
    expect(contentOf(answer)).toHaveLength(20);
    expect(digestsOf(stored)).not.toContain(contentOf(answer));
  });

  it('does not confirm a guess of a secret setting', async () => {
    const { auditor, panel } = await panelWithAuditor();
    const answer = await auditor.post('/panel/setting/all');
    const { settings } = panel.read;
    expect(settings.secrets().ldapPassword).toBe(PASSWORD);
    expect(contentOf(answer)).toHaveLength(20);
    expect(digestsOf({ settings: settings.current(), secrets: settings.secrets() })).not.toContain(contentOf(answer));
  });

  it('is the same for each role, and returns when a change was taken back', async () => {
    const { auditor, owner } = await panelWithAuditor();
    const versionOf = async (reader: typeof owner, path: string): Promise<readonly string[]> => {
      const answer = await reader.get(path);
      return [contentOf(answer), ...(answer.text.match(/"version":"[0-9a-f]{32}"/g) ?? [])];
    };
    for (const path of [FORM, CLIENT, '/panel/api/inbounds/get/1'])
      expect(await versionOf(auditor, path)).toStrictEqual(await versionOf(owner, path));
    const before = await versionOf(owner, FORM);
    expect(before).toHaveLength(2);
    await owner.post('/panel/api/inbounds/setEnable/1', { enable: false });
    const between = await versionOf(owner, FORM);
    for (const [i, version] of before.entries()) expect(between[i]).not.toBe(version);
    await owner.post('/panel/api/inbounds/setEnable/1', { enable: true });
    expect(await versionOf(owner, FORM)).toStrictEqual(before);
  });

  it('differs between panels with equal documents', async () => {
    const panels = [await panelWithAuditor(), await panelWithAuditor()];
    const contents = await Promise.all(panels.map(async ({ owner }) => contentOf(await owner.get(FORM))));
    expect(new Set(contents).size).toBe(2);
  });
});
