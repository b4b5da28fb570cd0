import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inboundSettings } from '../../../../src/http/panel/contract/schemas/core/inbound-settings.js';
import { outboundSettings } from '../../../../src/http/panel/contract/schemas/core/outbound-settings.js';
import { InboundStream, OutboundStream } from '../../../../src/http/panel/contract/schemas/core/stream.js';
import { CoreTemplate } from '../../../../src/http/panel/contract/schemas/core/template.js';

/** The package of the core that reads its configuration, as Go has downloaded it; the pinned version is in scripts/core.mjs. */
const [, version = ''] = /xray-core\/main@(\S+)'/.exec(readFileSync('scripts/core.mjs', 'utf8')) ?? [];
const modules = process.env['GOMODCACHE'] ?? join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'pkg', 'mod');
const source = join(modules, 'github.com', 'xtls', `xray-core@${version}`, 'infra', 'conf');
const isMissing = !existsSync(source);
if (isMissing)
  process.stderr.write(`\nSKIPPED: the names of the core. The Go module cache does not have ${source}.\n\n`);

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema;
}
/** The Go types of the members of a struct by their JSON names. */
type Struct = Readonly<Record<string, string>>;

/** All structs of the package. The core reads some members twice: those of an embedded struct count as own ones. */
function structs(): ReadonlyMap<string, Struct> {
  const files = readdirSync(source).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'));
  const text = files.map((name) => readFileSync(join(source, name), 'utf8')).join('\n');
  const found = [...text.matchAll(/^(\t?)type (\w+) struct \{\n([\s\S]*?)\n\1\}/gm)];
  const bodies = new Map(found.map(([, , name = '', body = '']) => [name, body] as const));
  const members = (name: string): Struct => {
    const body = bodies.get(name) ?? '';
    const own = [...body.matchAll(/^\s*\w+\s+(\S+)\s+`json:"([^",]+)/gm)].map(([, type = '', tag = '']) => [tag, type]);
    const embedded = [...body.matchAll(/^\s*(\w+)$/gm)].map(([, inner = '']) => members(inner));
    return { ...Object.assign({}, ...embedded), ...Object.fromEntries(own) };
  };
  return new Map([...bodies.keys()].map((name) => [name, members(name)]));
}

/** Structs that the core chooses by another member, by the path of what it reads into them. */
const BY_TYPE: Readonly<Record<string, string>> = {
  'template.routing.rules': 'RawFieldRule',
  'template.routing.balancers.strategy.settings': 'strategyLeastLoadConfig',
  'template.burstObservatory.pingConfig': 'healthCheckSettings',
};
const OF_INBOUND = {
  ...{ vless: 'VLessInboundConfig', vmess: 'VMessInboundConfig', trojan: 'TrojanServerConfig' },
  ...{ shadowsocks: 'ShadowsocksServerConfig', hysteria2: 'HysteriaServerConfig', wireguard: 'WireGuardConfig' },
  ...{ mixed: 'SocksServerConfig', http: 'HTTPServerConfig', tunnel: 'DokodemoConfig' },
} as const satisfies Readonly<Record<keyof typeof inboundSettings, string>>;
const OF_OUTBOUND = {
  ...{ freedom: 'FreedomConfig', blackhole: 'BlackholeConfig', dns: 'DNSOutboundConfig' },
  ...{ vless: 'VLessOutboundConfig', vmess: 'VMessOutboundConfig', trojan: 'TrojanClientConfig' },
  ...{ shadowsocks: 'ShadowsocksClientConfig', socks: 'SocksClientConfig', http: 'HTTPClientConfig' },
  ...{ wireguard: 'WireGuardConfig', hysteria: 'HysteriaClientConfig', loopback: 'LoopbackConfig' },
} as const satisfies Readonly<Record<keyof typeof outboundSettings, string>>;

/** Names of the contract that only the panel reads, and one that earlier versions of the core read. */
const NOT_OF_THE_CORE =
  /\.(?:tlsSettings\.settings|realitySettings\.settings|externalProxy)$|^inbound (?:vless\.encryption|shadowsocks\.ivCheck)$/;

/** The names of a schema that the struct does not have, in this letter case. Structs of other packages are not compared. */
function wrongNames(schema: z.ZodType, root: string, start: string, known: ReadonlyMap<string, Struct>) {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  const { $defs = {} } = json;
  const wrong: string[] = [];
  let compared = 0;
  const visit = (part: Schema, type: string, path: string): void => {
    if (part.$ref !== undefined) return visit($defs[part.$ref.slice('#/$defs/'.length)] ?? {}, type, path);
    for (const inner of part.anyOf ?? []) visit(inner, type, path);
    if (part.items) visit(part.items, type, path);
    if (part.additionalProperties) visit(part.additionalProperties, type, path);
    const name = BY_TYPE[path] ?? type.replaceAll(/^(?:[[\]*]|map\[\w+\])+/g, '');
    const struct = known.get(name.replace(/Configs$/, 'Config'));
    if (!part.properties || !struct || Object.keys(struct).length === 0) return;
    for (const [member, inner] of Object.entries(part.properties)) {
      compared += 1;
      if (struct[member] === undefined) wrong.push(`${path}.${member}`);
      else visit(inner, struct[member], `${path}.${member}`);
    }
  };
  visit(json, start, root);
  return { wrong, compared };
}

describe.skipIf(isMissing)('the names of the contract are those of the core', () => {
  const known = isMissing ? new Map<string, Struct>() : structs();
  const schemas: readonly (readonly [string, z.ZodType, string, number])[] = [
    ['template', CoreTemplate, 'Config', 300],
    ['inbound stream', InboundStream, 'StreamConfig', 150],
    ['outbound stream', OutboundStream, 'StreamConfig', 150],
    ...Object.entries(OF_INBOUND).map(
      ([name, struct]) => [`inbound ${name}`, inboundSettings[name as keyof typeof OF_INBOUND], struct, 1] as const,
    ),
    ...Object.entries(OF_OUTBOUND).map(
      ([name, struct]) => [`outbound ${name}`, outboundSettings[name as keyof typeof OF_OUTBOUND], struct, 1] as const,
    ),
  ];

  it.each(schemas)('%s', (root, schema, struct, least) => {
    const { wrong, compared } = wrongNames(schema, root, struct, known);
    expect(wrong.filter((path) => !NOT_OF_THE_CORE.test(path))).toStrictEqual([]);
    expect(compared).toBeGreaterThanOrEqual(least);
  });

  it('and a wrong one is found, in another letter case too', () => {
    const wrong = z.looseObject({ sockopt: z.looseObject({ tcpcongestion: z.string(), V6Only: z.boolean() }) });
    expect(wrongNames(wrong, 's', 'StreamConfig', known).wrong).toStrictEqual([
      's.sockopt.tcpcongestion',
      's.sockopt.V6Only',
    ]);
  });
});
