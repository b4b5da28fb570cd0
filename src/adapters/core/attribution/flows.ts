import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { startTimeout } from '../../../lib/timeout.js';

/** Inclusive ranges. */
type Ports = readonly (readonly [number, number])[];

interface ClientFlows {
  /** Address and port of clients, as the access log writes them: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
  readonly sources: readonly string[];
  /** Local UDP ports of the inbound. */
  readonly ports: Ports;
}

/** Blocks single UDP flows in the kernel's packet filter, in a separate table that affects no other rules. */
export interface FlowFilter {
  /**
   * Drops all packets of these flows, in both directions, for `seconds`. The core notices at once that it cannot send and
   * closes a QUIC connection; other connections are not affected. Resolves to false when the system does not allow it.
   */
  block(flows: ClientFlows, seconds: number): Promise<boolean>;
  /** Removes the table; does nothing when there is none. */
  clear(): Promise<void>;
}

/** Maximum number of blocked flows; the kernel accepts no more. */
const MAX_FLOWS = 65_536;
const TIMEOUT_MS = 5_000;
/** Where Debian installs nftables. */
const ADMIN_PATH = '/usr/sbin:/sbin';
/** Set elements in one call. */
const ELEMENTS_PER_CALL = 500;

/** The name of the table of an owner, with its family. */
export function flowTable(owner: string): string {
  return `inet portolan-${createHash('sha256').update(owner).digest('hex').slice(0, 12)}`;
}

/** `owner`: a folder, whose path distinguishes the tables of several panels on one machine. `program`: nftables. */
export function flowFilter(owner: string, program = 'nft'): FlowFilter {
  const table = flowTable(owner);
  let timer: NodeJS.Timeout | undefined;
  let until = 0;
  let created = false;
  const nft = (commands: string): Promise<boolean> => done(program, commands);

  const clear = async (): Promise<void> => {
    clearTimeout(timer);
    created = false;
    // `add` first, so that `delete` does not fail when there is no table.
    await nft(`add table ${table}\ndelete table ${table}\n`);
  };

  /** The kernel removes expired elements itself; the table is removed with the last of them. */
  const clearLater = (seconds: number): void => {
    until = Math.max(until, performance.now() + seconds * 1000);
    clearTimeout(timer);
    timer = setTimeout(() => void clear(), until - performance.now() + 1000).unref();
  };

  const add = async (elements: string): Promise<boolean> => {
    if (created && (await nft(elements))) return true;
    // The first time, or after an administrator flushed the ruleset.
    created = await nft(`${definition(table)}${elements}`);
    return created;
  };

  return {
    block: async ({ sources, ports }, seconds) => {
      const elements = sources.flatMap((source) => ports.map((range) => elementOf(source, range, seconds)));
      if (elements.length === 0) return true;
      clearLater(seconds);
      for (let at = 0; at < elements.length; at += ELEMENTS_PER_CALL) {
        const chunk = elements.slice(at, at + ELEMENTS_PER_CALL);
        const text = (['v4', 'v6'] as const).map((set) => addition(table, set, chunk)).join('');
        if (!(await add(text))) return false;
      }
      return true;
    },
    clear,
  };
}

interface Element {
  readonly set: 'v4' | 'v6';
  readonly text: string;
}

function elementOf(source: string, [from, to]: Ports[number], seconds: number): Element {
  const colon = source.lastIndexOf(':');
  const address = source.slice(0, colon).replace(/^\[|\]$/g, '');
  const port = from === to ? String(from) : `${from}-${to}`;
  const text = `${address} . ${source.slice(colon + 1)} . ${port} timeout ${seconds}s`;
  return { set: isIPv4(address) ? 'v4' : 'v6', text };
}

function addition(table: string, set: Element['set'], elements: readonly Element[]): string {
  const texts = elements.filter((one) => one.set === set).map(({ text }) => text);
  return texts.length === 0 ? '' : `add element ${table} ${set} { ${texts.join(', ')} }\n`;
}

/** Creates the table, or completes an existing one. Its sets contain address and port of a client, and the port of the inbound. */
function definition(table: string): string {
  const sets = [
    ['v4', 'ipv4_addr', 'ip'],
    ['v6', 'ipv6_addr', 'ip6'],
  ] as const;
  // With the rejection, the client app notices at once that the port is closed, and reconnects.
  const chains = [
    ['input', 'saddr', 'udp sport . udp dport', 'reject with icmpx type port-unreachable'],
    ['output', 'daddr', 'udp dport . udp sport', 'drop'],
  ] as const;
  return [
    `add table ${table}`,
    ...sets.map(
      ([set, type]) =>
        `add set ${table} ${set} { type ${type} . inet_service . inet_service; flags interval, timeout; size ${MAX_FLOWS}; }`,
    ),
    ...chains.flatMap(([chain, end, ports, verdict]) => [
      `add chain ${table} ${chain} { type filter hook ${chain} priority 0; policy accept; }`,
      `flush chain ${table} ${chain}`,
      ...sets.map(([set, , family]) => `add rule ${table} ${chain} ${family} ${end} . ${ports} @${set} ${verdict}`),
    ]),
    '',
  ].join('\n');
}

/** Resolves to whether the commands succeeded; otherwise none of them took effect. */
function done(program: string, commands: string): Promise<boolean> {
  return new Promise((resolve) => {
    const late = new AbortController();
    const env = { PATH: `${process.env['PATH'] ?? ''}:${ADMIN_PATH}` };
    const child = execFile(program, ['-f', '-'], { env, signal: late.signal }, (error) => {
      ended();
      resolve(error === null);
    });
    const ended = startTimeout(TIMEOUT_MS, () => late.abort());
    // Writing fails when the program is missing; the callback reports that.
    child.stdin?.on('error', () => undefined).end(commands);
  });
}
