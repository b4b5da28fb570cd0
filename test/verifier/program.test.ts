import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/program.js';
import { PanelStarted } from '../../src/events/panel.js';
import { consistencyPath, inclusionPath, treeRoot } from '../../src/lib/proof/merkle.js';
import { createHeadKey, publicKeyPem, type SignedHead, signHead } from '../../src/lib/proof/signed-head.js';
import type { ConsistencyProof, InclusionProof } from '../../src/lib/proof/verify-proof.js';
import { verifierProgram } from '../../src/verifier/program.js';
import { TestLog, temporaryFolder } from '../kit/log.js';
import { exportOf } from '../kit/proof.js';

/** What the two programs print for the same arguments. */
async function both(args: readonly string[]) {
  const alone = await written(() => verifierProgram(args));
  const portolan = await written(() => run(['node', 'portolan', 'verify-log', ...args], { PATH: '' }, async () => 0));
  return { alone, portolan };
}

async function written(program: () => Promise<number>) {
  const lines = { out: '', err: '' };
  const spies = (['out', 'err'] as const).map((name) =>
    vi.spyOn(name === 'out' ? process.stdout : process.stderr, 'write').mockImplementation((text) => {
      lines[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await program(), ...lines };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** A log of seven events with heads of positions 4 and 6, as files. */
function files() {
  const key = createHeadKey();
  const { log } = new TestLog();
  const place = temporaryFolder();
  const append = (count: number): void => {
    for (let i = 0; i < count; i += 1) log.append([PanelStarted({ version: '1.0.0' })], contextAt(i));
  };
  append(7);
  const panel = log.at(1)?.id ?? '';
  const rootAt = (position: number): string => treeRoot(position, log.stored.tree.subtree).toString('hex');
  const head = (position: number): SignedHead =>
    signHead({ panel, position, hash: log.hashAt(position) ?? '', root: rootAt(position), at: 1000 - position }, key);
  const file = (name: string, content: string): string => {
    const path = join(place, name);
    writeFileSync(path, content);
    return path;
  };
  const json = (value: object): string => JSON.stringify(value);
  const { line = '', previous = '' } = log.stored.tree.lineAt(3) ?? {};
  const inclusion: InclusionProof = {
    ...{ kind: 'inclusion', position: 3, previous, event: line, size: 6, root: rootAt(6), head: head(6) },
    path: inclusionPath(2, 6, log.stored.tree.subtree).map((hash) => hash.toString('hex')),
  };
  const consistency: ConsistencyProof = {
    ...{ kind: 'consistency', from: 4, to: 6, fromRoot: rootAt(4), toRoot: rootAt(6) },
    ...{ fromHead: head(4), toHead: head(6) },
    path: consistencyPath(4, 6, log.stored.tree.subtree).map((hash) => hash.toString('hex')),
  };
  return {
    ...{ file, inclusion, consistency, head },
    pem: file('key.pem', publicKeyPem(key.publicKey)),
    heads: file('heads.jsonl', `${json(head(4))}\n${json(head(6))}\n`),
    events: file('events.jsonl', exportOf(log)),
    text: exportOf(log),
  };
}

const contextAt = (at: number) => ({
  at,
  actor: { kind: 'system', id: 'test', name: 'test', ip: null } as const,
  correlationId: 'test',
});

describe('the verifier for outsiders and `portolan verify-log`', () => {
  it('confirm an export, and say how much of it no head confirms yet', async () => {
    const { heads, pem, events } = files();
    const { alone, portolan } = await both(['--heads', heads, '--key', pem, events]);
    const fits = '6 events are intact and contain all 2 published heads, the last of position 6';
    const later = '1 event after position 6 is intact, but no head confirms it yet';
    expect(alone).toStrictEqual({ code: 0, out: `OK: ${fits}.\nOK: ${later}.\n`, err: '' });
    expect(portolan).toStrictEqual(alone);
  });

  it('name the first position that does not fit', async () => {
    const { heads, pem, text, file } = files();
    const lines = text.split('\n');
    lines[4] = (lines[4] ?? '').replace('1.0.0', '1.0.1');
    const events = file('forged.jsonl', lines.join('\n'));
    const { alone, portolan } = await both(['--heads', heads, '--key', pem, events]);
    const what = 'Position 5 does not fit: the payload does not match its hash.';
    expect(alone).toStrictEqual({ code: 1, out: `${what}\n`, err: '' });
    expect(portolan).toStrictEqual(alone);
    const asJson = await both(['--json', '--heads', heads, '--key', pem, events]);
    const fault = { position: 5, what: 'the payload does not match its hash' };
    expect(JSON.parse(asJson.alone.out)).toEqual({ ok: false, events: 4, heads: 1, confirmed: 4, fault });
    expect(JSON.parse(asJson.portolan.out)).toMatchObject(JSON.parse(asJson.alone.out) as object);
    expect([asJson.alone.code, asJson.portolan.code]).toStrictEqual([1, 1]);
  });

  it('refuse heads that another key signed', async () => {
    const { heads, events, file } = files();
    const other = file('other.pem', publicKeyPem(createHeadKey().publicKey));
    const { alone, portolan } = await both(['--heads', heads, '--key', other, events]);
    const what = 'The heads do not fit: the signature of the head on line 1 does not belong to this public key.';
    expect(alone).toStrictEqual({ code: 1, out: `${what}\n`, err: '' });
    expect(portolan).toStrictEqual(alone);
  });

  it('verify a proof of one event and of a longer log, with and without the published heads', async () => {
    const { heads, pem, inclusion, consistency, file } = files();
    for (const [name, proof, meaning] of [
      [
        'inclusion.json',
        inclusion,
        `the event at position 3 is in the log of panel ${inclusion.head?.panel} with 6 events`,
      ],
      ['consistency.json', consistency, 'the log with 6 events begins with the same 4 events as before'],
    ] as const) {
      const path = file(name, JSON.stringify(proof));
      for (const args of [
        ['--proof', path, '--key', pem],
        ['--proof', path, '--key', pem, '--heads', heads],
      ]) {
        const { alone, portolan } = await both(args);
        expect(alone).toStrictEqual({ code: 0, out: `OK: ${meaning}.\n`, err: '' });
        expect(portolan).toStrictEqual(alone);
      }
    }
  });

  it('refuse a proof of which anything was changed', async () => {
    const { heads, pem, inclusion, consistency, file, head } = files();
    const other = 'a'.repeat(64);
    const wrong: readonly [object, string][] = [
      [{ ...inclusion, event: inclusion.event.replace('1.0.0', '1.0.1') }, 'does not have the hash'],
      [{ ...inclusion, position: 2 }, 'does not have the hash'],
      [{ ...inclusion, previous: other }, 'does not have the hash'],
      [{ ...inclusion, path: inclusion.path.slice(1) }, 'do not lead to the root'],
      [{ ...inclusion, size: 4, root: consistency.fromRoot, head: consistency.fromHead }, 'do not lead to the root'],
      [{ ...inclusion, root: other }, 'no signed head of position 6'],
      [{ ...inclusion, head: null }, 'no signed head of position 6'],
      [{ ...inclusion, head: { ...inclusion.head, at: 5 } }, 'does not belong to this public key'],
      [{ ...consistency, path: [...consistency.path, other] }, 'do not lead to the root'],
      [
        { ...consistency, from: 6, fromRoot: consistency.toRoot, fromHead: consistency.toHead },
        'do not lead to the root',
      ],
      [{ ...consistency, fromHead: head(5) }, 'no signed head of position 4'],
    ];
    for (const [index, [proof, why]] of wrong.entries()) {
      const path = file(`wrong-${index}.json`, JSON.stringify(proof));
      const { alone, portolan } = await both(['--proof', path, '--key', pem, '--heads', heads]);
      expect([alone.code, alone.err]).toStrictEqual([1, '']);
      expect(alone.out).toMatch(/^The proof does not hold: /);
      expect(alone.out).toContain(why);
      expect(portolan).toStrictEqual(alone);
    }
    const unpublished = { ...consistency, from: 5, fromRoot: head(5).root, fromHead: head(5) };
    const path = file('unpublished.json', JSON.stringify(unpublished));
    expect((await both(['--proof', path, '--key', pem, '--heads', heads])).alone.out).toContain(
      'not among the published',
    );
  });

  it('explain wrong usage and files that cannot be used', async () => {
    const { heads, pem, events, file } = files();
    expect((await written(() => verifierProgram(['--help']))).out).toContain('node verify-log.mjs --heads HEADS');
    for (const args of [[], [events], ['--heads', heads, events], ['--key', pem, events], ['--unknown']]) {
      const { alone, portolan } = await both(args);
      expect([alone.code, portolan.code]).toStrictEqual([2, 2]);
    }
    const { alone, portolan } = await both(['--heads', heads, '--key', heads, events]);
    expect([alone.code, portolan.code]).toStrictEqual([2, 2]);
    expect(portolan.err).toContain('is not an Ed25519 public key');
    const missing = await both(['--heads', `${heads}-none`, '--key', pem, events]);
    expect(missing.alone).toMatchObject({ code: 2, out: '', err: expect.stringContaining('cannot be read') as string });
    expect(missing.portolan).toStrictEqual({ ...missing.alone, err: `portolan: ${missing.alone.err}` });
    const none = file('none.json', '{"path":[]}');
    expect((await both(['--proof', none, '--key', pem])).portolan.err).toContain('is not a proof');
  });
});
