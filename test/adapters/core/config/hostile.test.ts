import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assemble, type CorePaths } from '../../../../src/adapters/core/config/assembly.js';
import { CoreError } from '../../../../src/commands/ports/core.js';
import { isObject, type JsonObject } from '../../../../src/lib/json.js';
import { configOf, coreBinary } from '../kit.js';

/** In the value of whatever must not come through. */
const EVIL = 'EVIL';
const TEMPLATES = 4_000;
const paths: CorePaths = {
  runDir: '/data/run',
  logDir: '/data/logs',
  assetDir: '/data/geo',
  socket: '/data/run/core.sock',
  trace: '/data/run/trace.log',
  metrics: '127.0.0.1:4711',
};

/** The same numbers each time; a failure names its template. */
function chance(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T };
}
type Chance = ReturnType<typeof chance>;

/** A name as Go's JSON still takes it for the same. */
function spelt({ next }: Chance, name: string): string {
  return [...name]
    .map((letter) => {
      const kind = next();
      if (letter === 's' && kind < 0.15) return 'ſ';
      if (letter === 'k' && kind < 0.3) return '\u212a';
      return kind < 0.5 ? letter.toUpperCase() : kind < 0.75 ? letter.toLowerCase() : letter;
    })
    .join('');
}

/** Settings that an attacker would like to have in the core. `S` marks names; values may be anything. */
const wishes: readonly string[] = [
  '{"api":{"tag":"EVIL","listen":"0.0.0.0:1","services":["HandlerService"]}}',
  '{"api":null,"stats":null,"metrics":null}',
  '{"stats":{"EVIL":1},"metrics":{"tag":"EVIL","listen":"0.0.0.0:2"}}',
  '{"policy":{"levels":{"0":{"statsUserUplink":false,"statsUserOnline":false}},"system":{"statsInboundUplink":false}}}',
  '{"policy":{"levels":{"00":{"statsUserUplink":false}}}}',
  '{"policy":{"levels":{"1":{"handshake":3}}},"log":{"loglevel":"none"}}',
  '{"log":{"access":"/EVIL/x.log","error":"../../EVIL/y.log","maskAddress":"full"}}',
  '{"log":{"access":"core-output.log","error":"/dev/EVIL"}}',
  '{"inbounds":[{"tag":"api","listen":"0.0.0.0","port":3,"protocol":"tunnel","settings":{"address":"EVIL"}}]}',
  '{"inbounds":[{"tag":"EVIL","port":4,"protocol":"socks"}]}',
  '{"env":{"XRAY_LOCATION_ASSET":"/EVIL"}}',
  '{"geodata":{"assets":[{"url":"https://EVIL/","file":"x"}]}}',
  '{"outbounds":[{"tag":"a","protocol":"freedom","streamSettings":{"tlsSettings":{"masterKeyLog":"/EVIL"}}}]}',
  '{"outbounds":[{"tag":"a","protocol":"vless","streamSettings":{"realitySettings":{"masterKeyLog":"/EVIL"}}}]}',
  '{"outbounds":[{"tag":"b","protocol":"http","streamSettings":{"tlsSettings":{"certificates":[{"keyFile":"/data/../EVIL"}]}}}]}',
  '{"outbounds":[{"tag":"c","protocol":"freedom","streamSettings":{"xhttpSettings":{"extra":{"downloadSettings":{"tlsSettings":{"certificates":[{"certificateFile":"/EVIL"}]}}}}}}]}',
  '{"outbounds":[{"tag":"portolan-cut","protocol":"freedom","settings":{"redirect":"EVIL:1"}}]}',
  '{"outbounds":[{"tag":"d","protocol":"freedom","EVIL":1,"streamSettings":{"sockopt":{"dialerProxy":"metrics_out"}}}]}',
  '{"outbounds":[{"tag":"e","protocol":"freedom","EVIL":1,"proxySettings":{"tag":"metrics_out"}}]}',
  '{"outbounds":[{"tag":"f","protocol":"freedom","settings":{"finalRules":[{"action":"allow"}]}}]}',
  '{"routing":{"rules":[{"ruleTag":"EVIL","outboundTag":"metrics_out"},{"ruleTag":"EVIL","inboundTag":["api"],"outboundTag":"api"}]}}',
  '{"routing":{"rules":[{"outboundTag":"direct","webhook":{"url":"http://EVIL"}}]}}',
  '{"routing":{"rules":[{"network":"tcp,udp","outboundTag":"blocked"}]}}',
  '{"routing":{"balancers":[{"tag":"EVIL","selector":["met"]}]}}',
  '{"routing":{"balancers":[{"tag":"EVIL","selector":["direct"],"fallbackTag":"portolan-cut"}]}}',
  '{"observatory":{"subjectSelector":[""],"probeURL":"https://EVIL"}}',
  '{"__proto__":{"outbounds":[{"tag":"EVIL"}]},"dns":{"servers":["1.1.1.1"]}}',
  '{"outbounds":[{"tag":"g","__proto__":{"protocol":"freedom"},"protocol":"freedom"}]}',
];

/** Two to four wishes under one roof, each in a spelling of its own: the second of a kind comes as another name. */
function hostile(random: Chance): JsonObject {
  const texts: string[] = [];
  for (let n = 1 + Math.floor(random.next() * 3); n >= 0; n -= 1) {
    const wish = random.pick(wishes).replaceAll(/"([A-Za-z]+)":/g, (_, name: string) => {
      return name === EVIL || random.next() < 0.4 ? `"${name}":` : `"${spelt(random, name)}":`;
    });
    texts.push(wish.slice(1, -1));
  }
  return JSON.parse(`{${texts.join(',')}}`) as JsonObject;
}

/** As Go's decoder fills a struct: names without regard to case, and the last one counts. */
function goRead(value: unknown, name: string): unknown {
  const folded = (key: string): string => key.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
  if (!isObject(value)) return undefined;
  return Object.entries(value).findLast(([key]) => folded(key) === name)?.[1];
}

const safe = assemble(configOf([], {}), paths);

/** The parts of every configuration, with any template. */
function judge(config: unknown): void {
  expect(JSON.stringify(config)).not.toContain(EVIL);
  // A listener that the template requests is that of the panel.
  const metrics = goRead(config, 'metrics');
  if (metrics !== undefined) expect(metrics).toStrictEqual({ tag: 'metrics_out', listen: paths.metrics });
  for (const name of ['api', 'stats', 'inbounds'])
    expect(goRead(config, name)).toStrictEqual(name === 'api' ? expect.objectContaining(own(name)) : own(name));
  const log = goRead(config, 'log');
  expect(goRead(log, 'access')).toMatch(/^\/data\/logs\/(access|x)\.log$/);
  expect(goRead(log, 'error')).toBe('/data/run/trace.log');
  const policy = goRead(config, 'policy');
  const levels = Object.entries(goRead(policy, 'levels') as object).filter(([level]) => Number(level) === 0);
  expect(levels).toHaveLength(1);
  for (const counter of ['statsuseruplink', 'statsuserdownlink', 'statsuseronline'])
    expect(goRead(levels[0]?.[1], counter)).toBe(true);
  expect(goRead(policy, 'system')).toStrictEqual((safe['policy'] as JsonObject)['system']);
  for (const outbound of goRead(config, 'outbounds') as unknown[]) {
    if (goRead(outbound, 'protocol') !== 'freedom') continue;
    const [first] = goRead(goRead(outbound, 'settings'), 'finalrules') as unknown[];
    expect(first).toMatchObject({ action: 'block', port: '4711' });
  }
}

function own(name: string): unknown {
  const value = safe[name];
  if (name !== 'api') return value;
  const { services: _services, ...rest } = value as JsonObject;
  return rest;
}

describe('a hostile template', () => {
  it('is rejected with a message or is harmless, in any spelling', () => {
    let accepted = 0;
    const accused = new Set<string>();
    for (let seed = 1; seed <= TEMPLATES; seed += 1) {
      const template = hostile(chance(seed));
      let config: JsonObject;
      try {
        config = assemble(configOf([], template), paths);
      } catch (error) {
        if (!(error instanceof CoreError) || error.kind !== 'invalid') throw error;
        expect(error.message).toMatch(/^The template cannot be used: /);
        accused.add(error.message.replaceAll(/"[^"]*"/g, '"…"'));
        continue;
      }
      accepted += 1;
      try {
        judge(JSON.parse(JSON.stringify(config)));
      } catch (error) {
        throw new Error(`seed ${seed}: ${JSON.stringify(template)}`, { cause: error });
      }
    }
    // Both outcomes occur, for many reasons: otherwise the test proves nothing.
    expect(accepted).toBeGreaterThan(TEMPLATES / 10);
    expect(accused.size).toBeGreaterThan(6);
  });

  it.skipIf(coreBinary === null)('that is accepted has the intended effect in a core', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-hostile-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'config.json');
    let judged = 0;
    for (let seed = 1; judged < 12; seed += 1) {
      let config: JsonObject;
      try {
        config = assemble(configOf([], hostile(chance(seed))), paths);
      } catch {
        continue;
      }
      writeFileSync(file, JSON.stringify(config));
      const dumped = execFileSync(coreBinary ?? '', ['run', '-dump', '-format', 'json', '-c', file], {
        env: { XRAY_JSON_STRICT: 'true' },
        encoding: 'utf8',
      });
      const read = JSON.parse(dumped.slice(dumped.indexOf('{'))) as JsonObject;
      expect(read['api'], `seed ${seed}`).toMatchObject({ listen: '/data/run/core.sock,0600' });
      if (config['metrics'] !== undefined) expect(read['metrics']).toMatchObject({ listen: '127.0.0.1:4711' });
      expect(read['log']).toMatchObject({ error: '/data/run/trace.log' });
      expect(read['inbounds'] ?? []).toStrictEqual([]);
      expect(read['policy']).toMatchObject({
        levels: { 0: { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true } },
        system: { statsInboundUplink: true, statsOutboundDownlink: true },
      });
      expect(dumped).not.toContain(EVIL);
      judged += 1;
    }
  });
});
