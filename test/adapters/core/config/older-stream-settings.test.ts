import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { addInbound, clientCore, fetchThrough, freePort, inboundOf } from '../kit.js';
import { coreStage } from '../stage.js';

const SUITE = 'an inbound whose settings an older panel stored';

const legacy = (header: string, value: string): JsonObject => ({ type: 'mkcp-legacy', settings: { header, value } });
const xhttp = (settings: JsonObject): JsonObject => ({
  network: 'xhttp',
  xhttpSettings: { path: '/xh', mode: 'packet-up', ...settings },
});
const kcp = (settings: JsonObject, udp?: readonly JsonObject[]): JsonObject => ({
  network: 'kcp',
  kcpSettings: settings,
  ...(udp === undefined ? {} : { finalmask: { udp } }),
});
const oldSession = { sessionPlacement: 'header', sessionKey: 'X-Own' };
const session = { sessionIDPlacement: 'header', sessionIDKey: 'X-Own' };

/** The stored settings, and those of a current client. */
const CASES: readonly (readonly [name: string, stored: JsonObject, client: JsonObject])[] = [
  ['the session of XHTTP', xhttp(oldSession), xhttp(session)],
  ['the session in the extra of XHTTP', xhttp({ extra: oldSession }), xhttp({ extra: session })],
  [
    'header and seed of mKCP',
    kcp({ header: { type: 'srtp' }, seed: 'a b' }),
    kcp({}, [legacy('', 'a b'), legacy('srtp', '')]),
  ],
  [
    'masks of mKCP by their former names',
    kcp({}, [{ type: 'mkcp-original' }, { type: 'header-wechat' }]),
    kcp({}, [legacy('', ''), legacy('wechat', '')]),
  ],
];

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const stage = coreStage();

  it.each(CASES)('is served: %s', async (_, stored, dialled) => {
    const way = stage.way('vless-tcp');
    const port = await freePort();
    const alice = way.account('alice@x');
    const inbound = inboundOf({ ...way.inbound(port), streamSettings: stored }, [alice]);
    await stage.core.config.testInbound(inbound);
    await addInbound(stage.core, inbound);
    const client = await clientCore(stage.folder, [{ ...way.outbound(port, alice), streamSettings: dialled }]);
    try {
      expect(await fetchThrough(client.ports[0] ?? 0, stage.web.port)).toBe('small!');
    } finally {
      await client.close();
      await stage.core.inbounds.remove(inbound);
    }
  });
});
