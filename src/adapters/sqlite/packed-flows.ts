import type { Flow } from '../../events/ledger-store.js';

/** Base 128, the lowest digits first, as protocol buffers have it; up to 2^53. */
function put(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** Flows as a list of numbers: client, day, node, position, up, down of each; 10 to 20 bytes for one. */
export function packFlows(flows: readonly Flow[]): Buffer {
  const bytes: number[] = [];
  for (const { client, day, node, position, up, down } of flows)
    for (const value of [client, day, node, position, up, down]) put(bytes, value);
  return Buffer.from(bytes);
}

/** Those of one client. */
export function unpackFlows(content: Buffer, client: number): Flow[] {
  const flows: Flow[] = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    let unit = 1;
    let byte = content[at] ?? 0;
    while (byte >= 128) {
      value += (byte - 128) * unit;
      unit *= 128;
      at += 1;
      byte = content[at] ?? 0;
    }
    at += 1;
    return value + byte * unit;
  };
  while (at < content.length) {
    const flow = { client: next(), day: next(), node: next(), position: next(), up: next(), down: next() };
    if (flow.client === client) flows.push(flow);
  }
  return flows;
}
