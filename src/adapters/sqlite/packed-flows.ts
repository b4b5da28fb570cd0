import { type Flow, LedgerError } from '../../events/log/ledger-store.js';

/** Appends a varint, as in Protocol Buffers; up to 2^53. */
function put(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** Packs flows as varints: client, day, node, position, up, down; 10 to 20 bytes per flow. */
export function packFlows(flows: readonly Flow[]): Buffer {
  const bytes: number[] = [];
  for (const { client, day, node, position, up, down } of flows)
    for (const value of [client, day, node, position, up, down]) put(bytes, value);
  return Buffer.from(bytes);
}

/** Unpacks the flows of one client, or of all. Throws `LedgerError` for data in another format. */
export function unpackFlows(content: Buffer, client?: number): Flow[] {
  const flows: Flow[] = [];
  let at = 0;
  const digit = (): number => {
    const byte = content[at];
    if (byte === undefined) throw new LedgerError('flows end in the middle of a number');
    at += 1;
    return byte;
  };
  const next = (): number => {
    let value = 0;
    let unit = 1;
    let byte = digit();
    for (; byte >= 128; byte = digit()) {
      value += (byte - 128) * unit;
      unit *= 128;
    }
    value += byte * unit;
    if (!Number.isSafeInteger(value)) throw new LedgerError('flows hold a number that is too large');
    return value;
  };
  while (at < content.length) {
    const flow = { client: next(), day: next(), node: next(), position: next(), up: next(), down: next() };
    if (client === undefined || flow.client === client) flows.push(flow);
  }
  return flows;
}
