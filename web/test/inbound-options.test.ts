import { describe, expect, it } from 'vitest';
import { inboundOptions } from '../src/api/inbound-options.generated';
import { inputAt, leavesOf, schemaAt } from '../src/model/options';
import { type Field, fields } from '../src/screens/inbounds/fields';

/** Members that are edited in the JSON tab alone: rare ones, those of two names, and what the form has in another way. */
const JSON_ONLY: readonly RegExp[] = [
  /^settings\.(clients\.0|version|email)$/,
  /^settings\.(testseed|reserved)$/,
  /^settings\.(allowedNetwork|rewriteAddress|rewritePort)$/,
  /^streamSettings\.(raw|tcp)Settings\.header\.(request|response)\.headers$/,
  /^streamSettings\.(xhttp|splithttp)Settings\.(extra|downloadSettings)$/,
  /^streamSettings\.hysteriaSettings\.(version|auth)$/,
  /^streamSettings\.realitySettings\.type$/,
  /^streamSettings\.externalProxy\.0\.(verifyPeerCertByName|echConfigList)$/,
  /^streamSettings\.sockopt\.(penetrate|addressPortStrategy|happyEyeballs\.|customSockopt\.)/,
  /^streamSettings\.finalmask\.(tcp\.|udp\.0\.type|udp\.0\.settings\.packetSize|quicParams\.debug)/,
];

const pathsOf = ({ path, items }: Field): readonly string[] =>
  items ? items.map((inner) => `${path}.0.${inner.path}`) : [path];
const shown = new Set(fields.flatMap(pathsOf));
const known = [
  ...leavesOf(inboundOptions.root),
  ...Object.values(inboundOptions.settings).flatMap((schema) => leavesOf(schema, 'settings')),
];

describe('the form of an inbound', () => {
  it('has an input for every option of the contract that is not left to the JSON tab', () => {
    const others = known.filter((path) => !shown.has(path));
    expect(others.filter((path) => !JSON_ONLY.some((one) => one.test(path)))).toStrictEqual([]);
    expect(JSON_ONLY.filter((one) => !others.some((path) => one.test(path)))).toStrictEqual([]);
  });

  it('has no input for something else, and offers no option that the contract does not have', () => {
    expect([...shown].filter((path) => !known.includes(path))).toStrictEqual([]);
    const extra = fields.flatMap(({ path, kind, options = [] }) => {
      const found = schemaAt(inboundOptions.root, path);
      const values = found?.enum ?? found?.examples ?? options;
      return kind === 'select' ? options.filter((one) => one !== '' && !values.includes(one)) : [];
    });
    expect(extra).toStrictEqual([]);
  });
});

describe('an input', () => {
  const tls = schemaAt(inboundOptions.root, 'streamSettings.tlsSettings');

  it('is what the schema of its option says', () => {
    expect(inputAt(tls, 'minVersion')).toStrictEqual({ kind: 'select', options: ['1.2', '1.3'], fallback: '1.2' });
    expect(inputAt(tls, 'settings.fingerprint')).toMatchObject({ kind: 'select' });
    expect(inputAt(tls, 'settings.fingerprint').options?.[0]).toBe('');
    expect(inputAt(tls, 'certificates')).toStrictEqual({ kind: 'items' });
    expect(inputAt(tls, 'certificates.0.ocspStapling')).toStrictEqual({ kind: 'number', fallback: 0 });
    expect(inputAt(tls, 'alpn')).toStrictEqual({ kind: 'list', options: ['h3', 'h2', 'http/1.1'] });
    expect(inputAt(inboundOptions.settings['tunnel'], 'portMap')).toStrictEqual({ kind: 'map' });
    expect(inputAt(inboundOptions.settings['wireguard'], 'secretKey')).toStrictEqual({
      kind: 'text',
      isRequired: true,
    });
    expect(inputAt(inboundOptions.root, 'streamSettings.xhttpSettings.xPaddingBytes').kind).toBe('text');
    expect(inputAt(inboundOptions.root, 'streamSettings.sockopt.tcpFastOpen').kind).toBe('switch');
  });

  it('cannot be made for a path that the contract does not have', () => {
    expect(() => inputAt(tls, 'tcpcongestion')).toThrow('no schema of the contract has tcpcongestion');
  });
});
