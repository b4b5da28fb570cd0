import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { measuredTypes } from '../../../src/events/catalog.js';
import { exportLine, readExportLine } from '../../../src/lib/proof/export-line.js';
import { MEASURED_TYPES } from '../../../src/lib/proof/measured-types.js';
import { treeRoot } from '../../../src/lib/proof/merkle.js';
import { createHeadKey, type SignedHead, signHead } from '../../../src/lib/proof/signed-head.js';
import { type LogVerdict, LogVerifier, readHeads } from '../../../src/lib/proof/verify-log.js';
import { History, steps } from '../../kit/history/history.js';
import { busOver, TestLog } from '../../kit/log.js';
import { exportOf } from '../../kit/proof.js';

const key = createHeadKey();

/** A log with a random history, its export, and signed heads of some of its positions, the last one included. */
function published(history: Parameters<History['play']>[0], places: readonly number[]) {
  const { log, clock } = new TestLog();
  const bus = busOver(log, clock);
  bus.must({ type: 'RecordPanelStarted', data: { version: '1.0.0' } });
  new History(bus, log).play(history);
  const size = log.head().position;
  const positions = [...new Set([...places.map((place) => 1 + (place % size)), size])].sort((a, b) => a - b);
  const panel = log.at(1)?.id ?? '';
  const heads = positions.map((position) => {
    const root = treeRoot(position, log.stored.tree.subtree).toString('hex');
    return signHead({ panel, position, hash: log.hashAt(position) ?? '', root, at: clock.now() }, key);
  });
  return { log, text: exportOf(log), heads };
}

function verdictOn(bytes: Buffer, heads: readonly SignedHead[], piece = 1 << 16): LogVerdict {
  const verifier = new LogVerifier(heads);
  for (let start = 0; start < bytes.length; start += piece)
    if (!verifier.add(bytes.subarray(start, start + piece))) break;
  return verifier.end();
}

const histories = steps(40);
const places = fc.array(fc.nat(), { maxLength: 5 });

describe('the verification of an export', () => {
  it('knows the measured types of the catalog', () => {
    expect([...MEASURED_TYPES].sort()).toStrictEqual([...measuredTypes].sort());
  });

  it('finds every published head in the export of any history, however the file is read', () => {
    fc.assert(
      fc.property(histories, places, fc.integer({ min: 1, max: 5000 }), (history, at, piece) => {
        const { log, text, heads } = published(history, at);
        const events = log.head().position;
        const verdict = verdictOn(Buffer.from(text), heads, piece);
        expect(verdict).toStrictEqual({ events, heads: heads.length, confirmed: events, fault: null });
      }),
      { numRuns: 20 },
    );
  });

  it('notices any changed, removed or added byte, any swapped or removed line, and a cut', () => {
    const change = fc.record({
      kind: fc.constantFrom('flip', 'drop', 'add', 'swap', 'cut', 'skip'),
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(histories, places, fc.array(change, { minLength: 20, maxLength: 20 }), (history, at, changes) => {
        const { text, heads } = published(history, at);
        const bytes = Buffer.from(text);
        for (const one of changes) {
          const tampered = tamper(bytes, one);
          if (tampered.equals(bytes)) continue;
          expect(verdictOn(tampered, heads).fault).not.toBeNull();
        }
      }),
      { numRuns: 20 },
    );
  });
});

function tamper(bytes: Buffer, { kind, at, by }: { kind: string; at: number; by: number }): Buffer {
  const place = at % bytes.length;
  const lines = bytes.toString().split('\n').slice(0, -1);
  const line = at % lines.length;
  switch (kind) {
    case 'flip': {
      const copy = Buffer.from(bytes);
      copy[place] = (copy[place] ?? 0) ^ by;
      return copy;
    }
    case 'drop':
      return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
    case 'add':
      return Buffer.concat([bytes.subarray(0, place), Buffer.from([by]), bytes.subarray(place)]);
    case 'cut':
      return bytes.subarray(0, place);
    case 'skip':
      return Buffer.from(`${lines.filter((_, i) => i !== line).join('\n')}\n`);
    default: {
      const other = (line + by) % lines.length;
      const swapped = lines.map((text, i) => (i === line ? lines[other] : i === other ? lines[line] : text));
      return Buffer.from(`${swapped.join('\n')}\n`);
    }
  }
}

describe('the first position that does not fit', () => {
  let text: string;
  let heads: readonly SignedHead[];

  beforeEach(() => {
    const history = Array.from({ length: 12 }, (_, a) => ({ kind: 'inbound', a, b: a, c: a }) as const);
    ({ text, heads } = published(history, [3]));
  });

  it('is named for a changed value, and no byte of a line is without meaning', () => {
    const lines = text.split('\n');
    lines[2] = (lines[2] ?? '').replace('"at":', '"at":1');
    expect(verdictOn(Buffer.from(lines.join('\n')), heads).fault).toMatchObject({
      position: 3,
      what: { code: 'storage.chainBroken' },
    });
    expect(verdictOn(Buffer.from(text.replace('"position":2,', '"position": 2,')), heads).fault).toMatchObject({
      position: 2,
      what: { code: 'proof.lineInvalid' },
    });
    expect(readExportLine('{"position":1}')).toBeNull();
  });

  it('is the head after a history that was rewritten with correct hashes', () => {
    const other = published([{ kind: 'inbound', a: 1, b: 2, c: 3 }], []);
    const panel = readExportLine(other.text.split('\n')[0] ?? '')?.event.id ?? '';
    const [head] = heads;
    const forged = heads.map((one) => ({ ...one, panel }));
    expect(verdictOn(Buffer.from(other.text), forged).fault).not.toBeNull();
    expect(verdictOn(Buffer.from(other.text), heads).fault).toMatchObject({
      position: 1,
      what: { code: 'proof.otherPanel' },
    });
    const wrong = heads.map((one) => (one === head ? { ...one, root: 'f'.repeat(64) } : one));
    expect(verdictOn(Buffer.from(text), wrong).fault).toMatchObject({
      position: head?.position,
      what: { code: 'proof.headDiffers', params: { confirmed: 0 } },
    });
  });

  it('is the one after the last event when a published head lies beyond the end', () => {
    const lines = text.split('\n').slice(0, -2);
    expect(verdictOn(Buffer.from(`${lines.join('\n')}\n`), heads).fault).toMatchObject({
      position: lines.length + 1,
      what: { code: 'proof.logEnds' },
    });
    expect(verdictOn(Buffer.from(text.slice(0, -1)), heads).fault).toMatchObject({ what: { code: 'proof.lineCut' } });
    expect(verdictOn(Buffer.alloc(0), heads)).toMatchObject({ events: 0, fault: { position: 1 } });
  });

  it('says how many events no head confirms yet', () => {
    const [first] = heads;
    const verdict = verdictOn(Buffer.from(text), heads.slice(0, 1));
    expect(verdict).toMatchObject({ fault: null, heads: 1, confirmed: first?.position });
    expect(verdict.events).toBeGreaterThan(verdict.confirmed);
  });
});

describe('a line of an export', () => {
  const event = {
    ...{ position: 1, id: '01890000-0000-7000-8000-000000000001', stream: 'client-1', version: 1, type: 'ClientAdded' },
    ...{ schema: 1, at: 5, meta: '{"actor":{"kind":"system","id":"test"},"correlation":"x"}' },
  };
  const hashes = { payloadHash: Buffer.alloc(32, 1), hash: Buffer.alloc(32, 2) };

  it('gives back the stored bytes of any payload', () => {
    const values = fc.record({ text: fc.string({ unit: 'binary' }), list: fc.array(fc.double()), deep: fc.object() });
    fc.assert(
      fc.property(values, fc.nat(50), fc.boolean(), (value, padding, isPacked) => {
        const plain = Buffer.from(JSON.stringify(value));
        const bytes = isPacked ? deflateRawSync(plain) : plain;
        const payload = Buffer.concat([bytes, Buffer.alloc(padding, isPacked ? 0 : ' ')]);
        const stored = { ...event, encoding: isPacked ? 1 : 0, payload };
        const line = exportLine(stored, hashes);
        expect(readExportLine(line)).toMatchObject({ event: stored, hashes });
        expect(JSON.parse(line)).toMatchObject({ data: JSON.parse(plain.toString()) as unknown });
        expect(line).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it('is not accepted in another spelling of the same values', () => {
    const line = exportLine({ ...event, encoding: 0, payload: Buffer.from('{"a":1,"b":"x"}  ') }, hashes);
    expect(readExportLine(line)).toMatchObject({ data: { a: 1, b: 'x' } });
    expect(
      readExportLine(line.replace('"data":{"a":1,"b":"x"}', '"data":null').replace('"padding":2,', '')),
    ).toMatchObject({
      event: { payload: null },
    });
    const wrong = [
      line.replace('"position":1', '"position":01'),
      line.replace('"version":1', '"version":1.0'),
      line.replace('"at":5', '"at":5e0'),
      line.replace('"at":5', '"at":-5'),
      line.replace('"padding":2', '"padding":02'),
      line.replace('"padding":2', '"padding":65537'),
      line.replace('"padding":2', '"padding":0'),
      line.replace('"data":{"a":1', '"data":{"a":2,"a":1'),
      line.replace('"a":1', '"a": 1'),
      line.replace('"a":1', '"a":1.0'),
      line.replace('"b":"x"', '"b":"\\u0078"'),
      line.replace('"b":"x"', '"b":"x\u007f"'),
      line.replace('"kind":"system"', '"kind":"bot","kind":"system"'),
      line.replace('"data":', '"data":{"a":1},"data":'),
      line.replace('"data":{"a":1,"b":"x"}', '"data":null'),
      line.replace('"payloadHash":"01', '"payloadHash":"0A'),
      `${line} `,
    ];
    for (const one of wrong) expect([one, readExportLine(one)]).toStrictEqual([one, null]);
  });

  it('is not accepted with other members, an unknown encoding, or a payload that is not its data', () => {
    const line = exportLine({ ...event, encoding: 1, payload: deflateRawSync('{"a":1}') }, hashes);
    expect(readExportLine(line)).not.toBeNull();
    const wrong = [
      line.replace('{"position"', '{"more":1,"position"'),
      line.replace('"a":1', '"a":2'),
      line.replace('"encoding":1', '"encoding":2'),
      line.replace('"encoding":1', '"encoding":0'),
      line.replace(/"payload":"[^"]+",/, ''),
      line.replace(/"payload":"/, '"padding":9999999999,"payload":"'),
      line.replace(/"payload":"[^"]+"/, '"payload":7'),
      line.replace(/"payload":"/, '"payload":" '),
    ];
    for (const one of wrong) expect(readExportLine(one)).toBeNull();
  });
});

describe('a line that is made to be slow', () => {
  const tail = `"encoding":0,"payloadHash":"${'a'.repeat(64)}","hash":"${'b'.repeat(64)}"}`;
  const head = `{"position":1,"id":"${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}","stream":"s","version":1,"type":"T"`;
  const begin = `${head},"schema":1,"at":1,"meta":{"a":1`;
  const deep = 200_000;

  it.each([
    ['has the end of the meta data many times', `${begin}${'},"data":{'.repeat(60_000)}},${tail}`],
    ['has many ends', `${begin}},"data":{}${`,${tail.slice(0, -1)}`.repeat(20_000)}}`],
    ['has objects inside of objects', `${begin}},"data":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)},${tail}`],
    ['has lists inside of lists', `${begin}},"data":{"a":${'['.repeat(deep)}${']'.repeat(deep)}},${tail}`],
  ])('because it %s is refused in one pass', (_, line) => {
    expect(readExportLine(line)).toBeNull();
  });

  it('or too long for any event, is refused before it is read whole', () => {
    const verifier = new LogVerifier([], 1000);
    expect(verifier.add(Buffer.from(`${' '.repeat(990)}`))).toBe(true);
    expect(verifier.add(Buffer.from(`${' '.repeat(990)}`))).toBe(false);
    expect(verifier.end().fault).toMatchObject({
      position: 1,
      what: { code: 'proof.lineLong', params: { most: 1000 } },
    });
    const whole = new LogVerifier([], 1000);
    expect(whole.add(Buffer.from(`${' '.repeat(1001)}\n`))).toBe(false);
  });
});

describe('a file of heads', () => {
  const panel = '01890000-0000-7000-8000-000000000001';
  const at = (position: number, time: number, mark = 'a') =>
    JSON.stringify(signHead({ panel, position, hash: mark.repeat(64), root: mark.repeat(64), at: time }, key));

  it('may repeat a head, and its times may go back', () => {
    const text = `${at(5, 2000)}\n${at(5, 2000)}\n\n${at(9, 1000)}\n`;
    expect(readHeads(text, key.publicKey)).toHaveLength(3);
  });

  it.each([
    ['proof.noHeads', '\n'],
    ['proof.headUnreadable', 'text'],
    ['proof.headUnreadable', '{}'],
    ['proof.headSignature', at(5, 1).replace('"position":5', '"position":6')],
    ['proof.headOrder', `${at(9, 1)}\n${at(5, 2)}`],
    ['proof.headTwice', `${at(9, 1)}\n${at(9, 1, 'b')}`],
  ])('is refused: %s', (code, text) => {
    expect(readHeads(text, key.publicKey)).toMatchObject({ what: { code } });
  });
});
