import { describe, expect, it } from 'vitest';
import { currentStream, xhttpForClients } from '../../src/lib/stream-names.js';

const old = { path: '/x', sessionPlacement: 'query', sessionKey: 's' };
const current = { path: '/x', sessionIDPlacement: 'query', sessionIDKey: 's' };

describe('the conversion of streamSettings to the names of the current core', () => {
  it.each(['xhttpSettings', 'splithttpSettings'])(
    'renames %s, its extra, and the download settings of both',
    (name) => {
      const nested = { ...old, extra: { ...old, downloadSettings: { network: 'xhttp', xhttpSettings: old } } };
      expect(currentStream({ network: 'xhttp', [name]: nested })).toStrictEqual({
        network: 'xhttp',
        [name]: { ...current, extra: { ...current, downloadSettings: { network: 'xhttp', xhttpSettings: current } } },
      });
    },
  );

  it('keeps a value under the new name, and replaces an empty one', () => {
    const stream = (own: object) => ({ network: 'xhttp', xhttpSettings: { ...own, sessionPlacement: 'query' } });
    expect(currentStream(stream({ sessionIDPlacement: 'header' }))).toStrictEqual({
      network: 'xhttp',
      xhttpSettings: { sessionIDPlacement: 'header' },
    });
    expect(currentStream(stream({ sessionIDPlacement: '' }))).toStrictEqual({
      network: 'xhttp',
      xhttpSettings: { sessionIDPlacement: 'query' },
    });
  });

  it('renames header and seed of mKCP, and masks with former names', () => {
    const legacy = (header: string, value: string) => ({ type: 'mkcp-legacy', settings: { header, value } });
    const kcpSettings = { mtu: 1350, header: { type: 'wechat-video' }, seed: 'a' };
    expect(currentStream({ network: 'kcp', kcpSettings })).toStrictEqual({
      network: 'kcp',
      kcpSettings: { mtu: 1350 },
      finalmask: { udp: [legacy('', 'a'), legacy('wechat', '')] },
    });
    const udp = [
      { type: 'mkcp-original' },
      { type: 'mkcp-aes128gcm', settings: { password: 'p' } },
      { type: 'header-dns', settings: { domain: 'd.test' } },
      { type: 'salamander', settings: { password: 'long enough' } },
    ];
    expect(currentStream({ network: 'kcp', finalmask: { udp } })).toStrictEqual({
      network: 'kcp',
      finalmask: { udp: [legacy('', ''), legacy('', 'p'), legacy('dns', 'd.test'), udp[3]] },
    });
  });

  it.each([
    { network: 'ws', wsSettings: { path: '/' } },
    { network: 'kcp', kcpSettings: { mtu: 1350 }, finalmask: { udp: [{ type: 'noise' }], tcp: 5 } },
    { network: 'xhttp', xhttpSettings: { ...current, extra: 5, downloadSettings: [] } },
  ])('keeps the rest: %j', (stream) => expect(currentStream(stream)).toStrictEqual(stream));
});

it('writes both names for client apps, because their cores may be older or newer', () => {
  const both = { ...current, ...old };
  expect(xhttpForClients(old)).toStrictEqual(both);
  expect(xhttpForClients(current)).toStrictEqual(both);
  expect(xhttpForClients({ path: '/', downloadSettings: { xhttpSettings: old } })).toStrictEqual({
    path: '/',
    downloadSettings: { xhttpSettings: both },
  });
});
