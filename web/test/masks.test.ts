import { describe, expect, it } from 'vitest';
import { type JsonObject, valueAt } from '../src/model/json';
import { changed, outboundFields } from '../src/screens/core/outbounds/outbound-fields';
import type { Draft } from '../src/screens/inbounds/editor/draft';
import { edited } from '../src/screens/inbounds/editor/effects';
import { shown, shownFields, valueOf } from '../src/screens/inbounds/editor/values';

const NOISE = { type: 'noise', settings: { reset: 5 } };
const SUDOKU = { type: 'sudoku', settings: { password: 'of sudoku' } };
const others = { tcp: [SUDOKU], quicParams: { congestion: 'bbr' } };

const inbound = (protocol: string, network: string, finalmask: JsonObject): Draft => ({
  ...{ remark: 'r', enable: true, nodeId: 0, listen: '', port: 443, protocol, tag: '' },
  ...{ total: 0, expiryTime: 0, trafficReset: 'never', sniffing: {}, settings: {} },
  streamSettings: { network, finalmask },
});

describe.each([
  ['the Salamander password of Hysteria2', 'hysteria2', 'hysteria', 'salamander', 'password'],
  ['the seed of mKCP', 'vless', 'kcp', 'mkcp-legacy', 'value'],
])('%s', (_, protocol, network, type, name) => {
  const fieldIn = (draft: Draft) => {
    const field = shownFields(draft).find(({ path }) => path === `streamSettings.finalmask.udp.0.settings.${name}`);
    if (!field) throw new Error('the form has no such input');
    return field;
  };
  const typed = (draft: Draft, text: string): Draft => edited(draft, fieldIn(draft), text);
  const maskOf = (draft: Draft) => valueAt(draft, 'streamSettings.finalmask');
  const own = { type, settings: { [name]: 'secret' } };

  it('is cleared without the other masks, and typed again at its place', () => {
    const start = inbound(protocol, network, { ...others, udp: [own, NOISE] });
    const cleared = typed(start, '');
    expect(maskOf(cleared)).toStrictEqual({ ...others, udp: [NOISE] });
    expect(typed(cleared, 'secret')).toStrictEqual(start);
  });

  it('does not show or change a mask of another type', () => {
    const start = inbound(protocol, network, { udp: [SUDOKU] });
    expect(shown(fieldIn(start), valueOf(start, fieldIn(start)))).toBe('');
    expect(maskOf(typed(start, 'secret'))).toStrictEqual({ udp: [own, SUDOKU] });
  });

  it('leaves nothing behind where it was alone', () => {
    expect(maskOf(typed(inbound(protocol, network, { udp: [own] }), ''))).toBeUndefined();
    expect(maskOf(typed(inbound(protocol, network, { ...others, udp: [own] }), ''))).toStrictEqual(others);
  });
});

it('the Salamander password of an outbound is cleared without the other masks', () => {
  const own = { type: 'salamander', settings: { password: 'secret' } };
  const start = { protocol: 'hysteria', streamSettings: { finalmask: { ...others, udp: [own, NOISE] } } };
  const field = outboundFields(start, [], (label) => label).find(({ path }) => path.endsWith('0.settings.password'));
  const typed = (outbound: JsonObject, text: string | undefined): JsonObject =>
    changed(outbound, field?.lens?.set(outbound, text) ?? {}, new Map());
  const cleared = typed(start, undefined);
  expect(cleared).toMatchObject({ streamSettings: { finalmask: { ...others, udp: [NOISE] } } });
  expect(field?.lens?.get(cleared)).toBeUndefined();
  expect(typed(cleared, 'secret')).toStrictEqual(start);
});
