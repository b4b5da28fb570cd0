import { describe, expect, it, vi } from 'vitest';
import { dataDirectory, prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { run } from '../../src/cli/program.js';
import { createBus } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { Rejection } from '../../src/commands/rejection.js';
import { panelState } from '../../src/commands/state.js';
import { InboundId, NodeId } from '../../src/events/ids.js';
import { begin } from '../../src/events/log/replay.js';
import { verbatim } from '../../src/messages/message.js';
import { openJournal } from '../../src/store/journal.js';
import { admin, draft, first, inboundDraft, second, T0, userId } from '../kit/builders.js';
import { temporaryFolder } from '../kit/log.js';

const TOKEN = 'T'.repeat(48);
const one = NodeId.parse(1);
const add = (name: string, host: string): AnyCommand => ({
  type: 'AddNode',
  data: {
    ...{ enabled: true, token: TOKEN },
    spec: { name, remark: '', scheme: 'https', host, port: 2053, basePath: '/x/', allowPrivateAddress: false },
  },
});

/** A data directory in which these commands were carried out; asks the command line about it. */
async function place(...commands: readonly ((state: ReturnType<typeof panelState.initial>) => AnyCommand)[]) {
  const { root } = prepareDataDirectory(temporaryFolder());
  const { log, anchor } = openJournal(dataDirectory(root));
  const folding = begin(panelState);
  const { state } = folding;
  const dispatch = createBus({ log, state: folding, now: () => T0, ownPorts: () => [], closed: () => null });
  for (const command of commands) {
    const done = dispatch(command(state), { actor: admin, correlationId: 'given' });
    if (done instanceof Rejection) throw new Error(done.message);
  }
  await anchor.flush();
  log.close();
  return async (...args: string[]) => {
    const written: string[] = [];
    const keep = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
    const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(keep));
    try {
      const code = await run(['node', 'portolan', '--data-dir', root, ...args], {}, async () => 0);
      return { code, text: written.join('') };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  };
}

type State = ReturnType<typeof panelState.initial>;
const there = { inbound: InboundId.parse(1) };
const asked = ({ nodes }: State) => {
  const node = nodes.get(one);
  if (!node) throw new Error('there is no node');
  return node;
};

describe('portolan node', () => {
  it('lists the nodes without their tokens', async () => {
    const ask = await place(
      () => add('Frankfurt', 'n1.example.com'),
      () => add('Oslo', '2001:db8::1'),
      (state) => ({ type: 'RecordNodeOffline', data: { queried: asked(state), reason: verbatim('gone') } }),
      () => ({ type: 'SetNodeEnabled', data: { node: NodeId.parse(2), enabled: false } }),
      () => ({ type: 'AddInbound', data: { owner: userId(1), node: one, ...inboundDraft() } }),
    );
    const { code, text } = await ask('node', 'list');
    expect(code).toBe(0);
    expect(text.split('\n')).toEqual([
      expect.stringMatching(
        /^#1 {2}Frankfurt {2}https:\/\/n1\.example\.com:2053\/x\/ {2}offline since .* inbounds: 1, pending changes: 1$/,
      ),
      '#2  Oslo  https://[2001:db8::1]:2053/x/  disabled  inbounds: 0, pending changes: 0',
      '',
    ]);
    const json = await ask('--json', 'node', 'list');
    const lines = json.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      {
        id: 1,
        name: 'Frankfurt',
        hasApiToken: true,
        bound: 1,
        lag: 1,
        connectivity: { online: false, reason: 'gone' },
      },
      { id: 2, enabled: false, connectivity: null },
    ]);
    expect(text + json.text).not.toContain(TOKEN);
  });

  it('prints why a node is not up to date', async () => {
    const ask = await place(
      () => add('Frankfurt', 'n1.example.com'),
      (state) => ({ type: 'RecordNodeOffline', data: { queried: asked(state), reason: verbatim('gone') } }),
      () => ({ type: 'AddInbound', data: { owner: userId(1), node: one, ...inboundDraft() } }),
    );
    for (const name of ['frankfurt', '#1']) {
      const { code, text } = await ask('node', 'why', name);
      expect(code).toBe(0);
      expect(text).toMatch(/^Node #1 Frankfurt, https:\/\/n1\.example\.com:2053\/x\/\n {2}offline since .*: gone\n/);
      expect(text).toContain('  pending changes: 1\n');
      expect(text).toContain('  inbound #1 in-1: pending changes: 1; the first is event 3; never seen on the node\n');
    }
  });

  it('prints why a node that responds accepts no changes, until it recovers', async () => {
    const failing = [
      () => add('Frankfurt', 'n1.example.com'),
      (state: State): AnyCommand => ({
        type: 'RecordNodeSyncFailed',
        data: { queried: asked(state), reason: verbatim('decode response: no') },
      }),
    ] as const;
    const ask = await place(...failing);
    const { text } = await ask('node', 'why', 'Frankfurt');
    expect(text).toMatch(/\n {2}online, but has not accepted changes since .*: decode response: no\n/);
    expect(text).toContain('  it was up to date when it was last online\n');
    expect((await ask('node', 'list')).text).toMatch(/ {2}online, but has not accepted changes since .* inbounds: 0/);
    expect(JSON.parse((await ask('--json', 'node', 'why', '#1')).text)).toMatchObject({
      failing: { reason: 'decode response: no', since: T0 },
    });
    const well = await place(...failing, (state) => ({
      type: 'RecordNodeSyncRecovered',
      data: { queried: asked(state) },
    }));
    expect((await well('node', 'why', 'Frankfurt')).text).toContain('  it is up to date\n');
  });

  it('prints what a node refused, also if it is up to date otherwise', async () => {
    const ask = await place(
      () => add('Frankfurt', 'n1.example.com'),
      () => ({ type: 'AddInbound', data: { owner: userId(1), node: one, ...inboundDraft() } }),
      (state) => ({
        type: 'RecordNodeInboundApplied',
        data: {
          queried: asked(state),
          ...there,
          tag: 'in-1',
          position: 9,
          digest: 'd',
          newClients: [],
          newInbound: true,
        },
      }),
      (state) => ({
        type: 'RecordNodeInboundRejected',
        data: { queried: asked(state), ...there, reason: verbatim('it is theirs') },
      }),
    );
    const { text } = await ask('node', 'why', 'Frankfurt');
    expect(text).toContain('  no changes are pending; the refused ones are listed below\n');
    expect(text).toMatch(/ {2}inbound #1 in-1: .*; refused since .*: it is theirs\n/);
  });

  it('prints why the core of a node was last restarted', async () => {
    const alice = draft('alice', 1);
    const ask = await place(
      () => add('Frankfurt', 'n1.example.com'),
      () => ({ type: 'AddInbound', data: { owner: userId(1), node: one, ...inboundDraft({ clients: [alice] }) } }),
      (state) => ({
        type: 'RecordNodeCoreRestarted',
        data: { queried: asked(state), clients: [first, second], inbounds: [there.inbound] },
      }),
    );
    expect((await ask('node', 'why', 'Frankfurt')).text).toMatch(
      / {2}its core was restarted .* to close connections that stayed open: client alice; client #2; inbound #1\n/,
    );
    expect(JSON.parse((await ask('--json', 'node', 'why', '#1')).text)).toMatchObject({
      restart: { at: T0, clients: ['alice', '#2'], inbounds: [1] },
    });
  });

  it('fails with a message for a node that does not exist', async () => {
    const ask = await place(() => add('Frankfurt', 'n1.example.com'));
    expect(await ask('node', 'why', 'Oslo')).toEqual({ code: 1, text: 'portolan: Node Oslo not found\n' });
    expect((await ask('node', 'why')).code).toBe(2);
  });
});
