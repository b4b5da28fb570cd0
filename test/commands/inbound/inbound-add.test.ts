import { describe, it } from 'vitest';
import type { InboundDraft } from '../../../src/commands/inbound/inbound.js';
import { ClientAdded } from '../../../src/events/client/client.js';
import { InboundAdded, InboundDeleted } from '../../../src/events/inbound/inbound.js';
import { message, type Text } from '../../../src/messages/message.js';
import {
  alice,
  bob,
  clientAdded,
  draft,
  first,
  inboundAdded,
  inboundDraft,
  inboundId,
  one,
  otherInbound,
  second,
  spec,
  two,
  userId,
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const add = (asked: InboundDraft) => ({ type: 'AddInbound', data: { owner: userId(1), ...asked } }) as const;
const next = (over: Parameters<typeof inboundDraft>[0] = {}) =>
  inboundDraft({ ...over, spec: { port: 8443, tag: 'in-2', ...over.spec } });

describe('AddInbound', () => {
  it('adds an inbound', () => {
    given().when(add(inboundDraft())).then(inboundAdded());
  });

  it('adds its clients after it, in order', () => {
    given()
      .when(add(inboundDraft({ clients: [alice, bob] })))
      .then(
        inboundAdded(),
        ClientAdded({ client: first, inbound: one, keyVersion: 1, ...alice }),
        ClientAdded({ client: second, inbound: one, keyVersion: 1, ...bob }),
      );
  });

  it('continues after the last id, also when that inbound was deleted', () => {
    given(inboundAdded(), otherInbound(), InboundDeleted({ inbound: two }))
      .when(add(next()))
      .then(inboundAdded({ id: inboundId(3), spec: { port: 8443, tag: 'in-2' } }));
  });

  it('adds a disabled inbound', () => {
    given()
      .when(add(inboundDraft({ enabled: false })))
      .then(inboundAdded({ enabled: false }));
  });

  it('rejects clients for a protocol without clients', () => {
    given()
      .when(add(inboundDraft({ spec: { protocol: 'http' }, clients: [alice] })))
      .thenRejects('CLIENTS_NOT_SUPPORTED', { protocol: 'http' });
  });

  it('accepts a protocol without clients if there are none', () => {
    given()
      .when(add(inboundDraft({ spec: { protocol: 'http' } })))
      .then(inboundAdded({ spec: { protocol: 'http' } }));
  });

  it('rejects the whole inbound if the email of one client is taken', () => {
    given(inboundAdded(), clientAdded())
      .when(add(next({ clients: [bob, draft('ALICE', 9)] })))
      .thenRejects('EMAIL_TAKEN', { email: 'ALICE' });
  });

  it('accepts a credential that another inbound has', () => {
    given(inboundAdded(), clientAdded())
      .when(add(next({ clients: [draft('carol', 1)] })))
      .then(
        inboundAdded({ id: two, spec: { port: 8443, tag: 'in-2' } }),
        ClientAdded({ client: second, inbound: two, keyVersion: 1, ...draft('carol', 1) }),
      );
  });
});

describe('the tag of a new inbound', () => {
  const untagged = (port: number, over: Parameters<typeof inboundDraft>[0] = {}): InboundDraft => {
    const asked = inboundDraft({ ...over, spec: { ...over.spec, port } });
    return { ...asked, spec: { ...asked.spec, tag: '' } };
  };
  const added = (tag: string, over: Parameters<typeof inboundAdded>[0] = {}) =>
    inboundAdded({ ...over, spec: { ...over.spec, tag } });

  it('is derived from the port if none is given', () => {
    given()
      .when(add(untagged(443)))
      .then(added('inbound-443'));
  });

  it('contains the address if the inbound listens on one', () => {
    given()
      .when(add(untagged(443, { spec: { listen: '10.0.0.1' } })))
      .then(added('inbound-10.0.0.1:443', { spec: { listen: '10.0.0.1' } }));
  });

  it('contains the transport if the tag of the port is taken, then a number', () => {
    const taken = inboundAdded({ spec: { port: 1, tag: 'inbound-443' } });
    given(taken)
      .when(add(untagged(443)))
      .then(added('inbound-443-tcp', { id: two }));
    const also = inboundAdded({ id: two, spec: { port: 2, tag: 'inbound-443-tcp' } });
    given(taken, also)
      .when(add(untagged(443)))
      .then(added('inbound-443-tcp-2', { id: inboundId(3) }));
  });

  it('is rejected if another inbound has it', () => {
    given(inboundAdded())
      .when(add(next({ spec: { tag: 'in-1' } })))
      .thenRejects('TAG_TAKEN', { tag: 'in-1' });
  });

  it.each([
    ['a>b', message('client.nameSeparator')],
    ['t\ud800', message('client.nameNotUnicode')],
    ['a b', message('inbound.tagSpaces')],
    ['a\u0000', message('inbound.tagSpaces')],
    ['API', message('inbound.tagReserved')],
    ['metrics_out', message('inbound.tagReserved')],
    ['portolan-x', message('inbound.tagReserved')],
    ['x'.repeat(129), message('client.nameTooLong', { limit: 128 })],
  ])('is rejected if it is %j', (tag, why) => {
    given()
      .when(add(inboundDraft({ spec: { tag } })))
      .thenRejects('TAG_INVALID', { tag, why });
  });
});

describe('the validation of an inbound', () => {
  const refused = (over: Parameters<typeof inboundDraft>[0], why: Text): void =>
    given()
      .when(add(inboundDraft(over)))
      .thenRejects('CONFIG_INVALID', { why });

  it('rejects an invalid listen address', () => {
    given()
      .when(add(inboundDraft({ spec: { listen: 'not-an-ip' } })))
      .thenRejects('LISTEN_INVALID', { listen: 'not-an-ip' });
  });

  it.each(['127.0.0.1', '::1', 'localhost', '/run/x.sock', '@abstract', ''])(
    'accepts the listen address %j',
    (listen) => {
      given()
        .when(add(inboundDraft({ spec: { listen } })))
        .then(InboundAdded({ ...inboundAdded().data, spec: spec({ listen }) }));
    },
  );

  it('rejects an unknown transport', () => {
    const known = ['tcp', 'ws', 'grpc', 'kcp', 'httpupgrade', 'xhttp', 'hysteria'];
    const networkUnknown = (network: string) => message('inbound.networkUnknown', { network, known });
    refused({ config: { stream: { network: 'pigeon' } } }, networkUnknown('pigeon'));
    refused({ config: { stream: { network: 7 } } }, networkUnknown('7'));
  });

  it('rejects an unknown security', () => {
    refused(
      { config: { stream: { security: 'xtls' } } },
      message('inbound.securityUnknown', { security: 'xtls', known: ['none', 'tls', 'reality'] }),
    );
  });

  it('rejects REALITY without a key or with an unsupported transport', () => {
    const reality = (over: object) => ({ config: { stream: { security: 'reality', ...over } } });
    const settings = { realitySettings: { privateKey: 'A'.repeat(43) } };
    refused(reality({}), message('inbound.realitySettingsMissing'));
    refused(reality({ realitySettings: { privateKey: 'short' } }), message('inbound.realityKeyInvalid'));
    refused(reality({ network: 'ws', ...settings }), message('inbound.realityNetwork', { network: 'ws' }));
    const sound = reality({ network: 'tcp', ...settings });
    given()
      .when(add(inboundDraft(sound)))
      .then(inboundAdded(sound));
  });

  it('rejects Hysteria without TLS', () => {
    refused({ spec: { protocol: 'hysteria2' } }, message('inbound.hysteriaNeedsTls'));
  });

  it('rejects a Salamander mask whose password is too short for the core', () => {
    const masked = (settings: Record<string, string>, type = 'salamander') => ({
      config: { stream: { network: 'kcp', finalmask: { udp: [{ type: 'noise' }, { type, settings }] } } },
    });
    const words = message('inbound.salamanderTooShort');
    refused(masked({ password: 'abc' }), words);
    refused(masked({}), words);
    for (const sound of [masked({ password: 'é1é' }), masked({ password: 'abc' }, 'mkcp-legacy')]) {
      given()
        .when(add(inboundDraft(sound)))
        .then(inboundAdded(sound));
    }
  });

  it('rejects an account whose name has the form of client accounts in the core', () => {
    const accounts = [
      { user: 'ann', pass: 'x' },
      { Uſer: '7:ann', pass: 'x' },
    ];
    refused(
      { spec: { protocol: 'mixed' }, config: { settings: { auth: 'password', accounts } } },
      message('inbound.accountLikeClient', { name: '7:ann' }),
    );
  });

  it('rejects WireGuard without its key', () => {
    refused({ spec: { protocol: 'wireguard' } }, message('inbound.wireguardKeyMissing'));
  });

  it.each([
    ['2022-blake3-aes-128-gcm', 32],
    ['2022-blake3-aes-256-gcm', 16],
    ['2022-blake3-chacha20-poly1305', 31],
  ])('rejects a %s server key of %i bytes', (method, bytes) => {
    const password = Buffer.alloc(bytes).toString('base64');
    const length = method.includes('128') ? 16 : 32;
    refused(
      { spec: { protocol: 'shadowsocks' }, config: { settings: { method, password } } },
      message('inbound.passwordLength', { bytes: length, method }),
    );
  });

  it('rejects an unknown cipher of Shadowsocks 2022', () => {
    refused(
      { spec: { protocol: 'shadowsocks' }, config: { settings: { method: '2022-blake3-rot13' } } },
      message('client.cipherUnknown', { method: '2022-blake3-rot13' }),
    );
  });
});
