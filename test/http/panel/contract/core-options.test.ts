import { describe, expect, it } from 'vitest';
import { inboundSettings } from '../../../../src/http/panel/contract/schemas/core/inbound-settings.js';
import { Sniffing } from '../../../../src/http/panel/contract/schemas/core/option.js';
import { Outbound, outboundSettings } from '../../../../src/http/panel/contract/schemas/core/outbound-settings.js';
import { InboundStream } from '../../../../src/http/panel/contract/schemas/core/stream.js';
import { CoreTemplate } from '../../../../src/http/panel/contract/schemas/core/template.js';
import { openApi } from '../../../../src/http/panel/openapi/document.js';
import { defaultTemplate } from '../../../../src/projections/core/template.js';
import { inboundCases, makeClient, makeContext } from '../../../kit/real/inbounds.js';

const certificate = {
  certFile: '/c.pem',
  keyFile: '/k.pem',
  pin: 'ab'.repeat(32),
  certPem: '',
  keyPem: '',
  remove: async () => undefined,
};
const context = makeContext({ certificate, realityTarget: '127.0.0.1:443', targetPort: 80 });
const cases = inboundCases(context).map((one) => [one.name, one] as const);
/** Names by which the panel knows the same protocol. */
const ALIASES: Readonly<Record<string, keyof typeof inboundSettings>> = { socks: 'mixed', dokodemo: 'tunnel' };

describe('the schemas of the core', () => {
  it.each(cases)('accept the inbound %s and keep all of it', (_, { protocol, body }) => {
    const { settings, streamSettings, sniffing } = body(4433, [makeClient()]);
    const name = ALIASES[protocol] ?? (protocol as keyof typeof inboundSettings);
    expect(inboundSettings[name].parse(JSON.parse(settings))).toStrictEqual(JSON.parse(settings));
    expect(InboundStream.parse(JSON.parse(streamSettings))).toStrictEqual(JSON.parse(streamSettings));
    expect(Sniffing.parse(JSON.parse(sniffing))).toStrictEqual(JSON.parse(sniffing));
  });

  it('accept the built-in template, the outbounds of the tests, and members that they do not know', () => {
    expect(CoreTemplate.parse(defaultTemplate)).toStrictEqual(defaultTemplate);
    for (const [, { outbound }] of cases) {
      const given = outbound?.(4433, makeClient());
      if (given) expect(Outbound.parse({ tag: 'x', ...given })).toStrictEqual({ tag: 'x', ...given });
    }
    const later = { network: 'later', laterSettings: { a: 1 }, tlsSettings: { later: true } };
    expect(InboundStream.parse(later)).toStrictEqual(later);
  });

  it('refuse a member of another type, and one that the core needs and that is missing', () => {
    expect(inboundSettings.vless.safeParse({ decryption: 1 }).success).toBe(false);
    expect(inboundSettings.wireguard.safeParse({}).success).toBe(false);
    expect(outboundSettings.dns.safeParse({ rules: [{ action: 'other' }] }).success).toBe(false);
  });
});

describe('the OpenAPI document', () => {
  const text = JSON.stringify(openApi(''));
  const { components } = JSON.parse(text) as {
    components: { schemas: Record<string, { properties?: Record<string, object> }> };
  };

  it('says what the JSON texts of an inbound and the template contain', () => {
    const json = (name: string) => ({
      ...{ type: 'string', contentMediaType: 'application/json' },
      contentSchema: { $ref: `#/components/schemas/${name}` },
    });
    expect(components.schemas['inboundsAddBody']?.properties).toMatchObject({
      settings: json('InboundSettings'),
      streamSettings: json('InboundStream'),
      sniffing: json('Sniffing'),
    });
    expect(components.schemas['Inbound']?.properties).toMatchObject({ streamSettings: json('InboundStream') });
    expect(components.schemas['coreSettingsUpdateBody']?.properties).toMatchObject({
      coreSetting: json('CoreTemplate'),
    });
  });

  it('has every schema that it refers to', () => {
    const named = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in components.schemas))).toStrictEqual([]);
    expect(named).toContain('SocketOptions');
  });
});
