import { describe, expect, it } from 'vitest';
import { freePort } from '../../../kit/real/ports.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };

interface Answer {
  readonly success: boolean;
  readonly code?: string;
  readonly msg: string;
  readonly obj: {
    readonly added: number[];
    readonly position: number;
    readonly inbounds: { readonly problem: string; readonly clients: number }[];
  };
}

async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const post = async (body: object): Promise<Answer> => {
    const { json } = await panel.call('POST', '/panel/api/inbounds/importAll', { headers, body: JSON.stringify(body) });
    return json as unknown as Answer;
  };
  const inbound = async (remark: string, more: object = {}) => ({
    ...{ enable: true, protocol: 'vless', listen: '127.0.0.1', port: await freePort(), tag: `tag-${remark}`, remark },
    settings: JSON.stringify({
      clients: [{ id: crypto.randomUUID(), email: remark, enable: true }],
      decryption: 'none',
    }),
    ...more,
  });
  const undo = async (position: number) =>
    (await panel.call('POST', `/panel/api/events/${position}/undo`, { headers, body: '{}' })).json;
  panel.appended();
  return { post, undo, inbound, since: () => panel.appended().map(({ type }) => type) };
}

describe('an import of several inbounds', () => {
  it('adds all of them in one append, after a preview that changes nothing', async () => {
    const { post, inbound, since } = await start();
    const inbounds = [await inbound('one'), await inbound('two', { tag: 'tag-one' })];
    const preview = await post({ inbounds, preview: true });
    expect(preview.obj.added).toStrictEqual([]);
    expect(preview.obj.inbounds).toMatchObject([
      { remark: 'one', clients: 1, problem: '' },
      { remark: 'two', clients: 1, problem: '' },
    ]);
    expect(since()).toStrictEqual([]);
    expect(await post({ inbounds })).toMatchObject({ success: true, obj: { added: [1, 2] } });
    expect(since()).toStrictEqual(['InboundAdded', 'ClientAdded', 'InboundAdded', 'ClientAdded']);
  });

  it('is undone by one command at the position of the answer', async () => {
    const { post, inbound, since, undo } = await start();
    const { obj } = await post({ inbounds: [await inbound('one'), await inbound('two')] });
    since();
    expect(await undo(obj.position)).toMatchObject({ success: true, code: 'undo.done' });
    const deleted = ['ClientDeleted', 'InboundDeleted'];
    expect(since()).toStrictEqual(['CommandUndone', ...deleted, ...deleted]);
  });

  it('adds none if one is refused, and names each refused one with its reason', async () => {
    const { post, inbound, since } = await start();
    const first = await inbound('one');
    const inbounds = [
      first,
      await inbound('same port', { port: first.port }),
      await inbound('no port', { port: 'x' }),
      await inbound('no tag', { tag: 'with a space' }),
      await inbound('fine'),
    ];
    const { obj } = await post({ inbounds, preview: true });
    expect(obj.inbounds.map(({ problem }) => problem)).toStrictEqual([
      '',
      expect.stringContaining(`Port already exists: ${first.port}`),
      expect.stringContaining('port'),
      expect.stringContaining('Tag'),
      '',
    ]);
    const refused = await post({ inbounds });
    expect(refused).toMatchObject({ success: false, code: 'INBOUNDS_REFUSED' });
    for (const name of ['same port', 'no port', 'no tag']) expect(refused.msg).toContain(name);
    expect(refused.msg).not.toContain('fine');
    expect(since()).toStrictEqual([]);
    expect((await post({ inbounds: [] })).success).toBe(false);
  });
});
