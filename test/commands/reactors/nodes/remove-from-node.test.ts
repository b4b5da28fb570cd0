import { describe, expect, it, onTestFinished } from 'vitest';
import { asNode } from '../../../../src/commands/bus.js';
import { NodeId } from '../../../../src/events/ids.js';
import { type NodeFault, ThreeXuiNode } from '../../../kit/real/three-x-ui/three-x-ui-node.js';
import { eventually } from '../../../kit/wait.js';
import { alice, bob, nodeOne, withXui } from './kit.js';

const untold = { removed: 0, remaining: 1, kept: 0 };

/** Answers with a blank now and then, and never ends. */
const drips: NodeFault = ({ url = '' }, response) => {
  if (!url.endsWith('/list')) return false;
  response.writeHead(200);
  const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(' ')), 50);
  return true;
};

/** A round with this node does not end. */
async function heldUp(centre: Awaited<ReturnType<typeof withXui>>): Promise<void> {
  onTestFinished(() => centre.sync.stop());
  const { length } = centre.remote.calls;
  centre.sync.retry(nodeOne);
  await eventually(() => expect(centre.remote.calls.length).toBeGreaterThan(length));
}

describe('the removal from a node before it is deleted', () => {
  it('ends at its timeout, whatever the node does', async () => {
    const centre = await withXui(undefined, 300);
    centre.addInbound([alice]);
    await centre.round();
    centre.remote.fault = drips;
    expect(await centre.sync.cleanUp(nodeOne)).toStrictEqual(untold);
    expect(centre.warnings).toStrictEqual([]);
  });

  it('aborts a round that is under way, which is no failure', async () => {
    const centre = await withXui();
    const { addInbound, round, remote, sync, xui } = centre;
    addInbound([alice]);
    await round();
    remote.fault = drips;
    await heldUp(centre);
    remote.fault = null;
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 1, remaining: 0, kept: 0 });
    expect([xui.inbounds, sync.state(nodeOne).tries]).toStrictEqual([[], 0]);
  });

  it('does not wait for other nodes', async () => {
    const centre = await withXui();
    const { addInbound, round, must, bus, read, sync, xui } = centre;
    addInbound([alice]);
    await round();
    const slow = await ThreeXuiNode.start({ token: 'node-token' });
    onTestFinished(() => slow.stop());
    let held = 0;
    slow.fault = ({ url = '' }) => url.endsWith('/list') && (held += 1) > 0;
    const place = { scheme: 'http', host: '127.0.0.1', basePath: '/', allowPrivateAddress: true } as const;
    for (let n = 2; n <= 9; n += 1) {
      const spec = { ...place, name: `slow ${n}`, remark: '', port: slow.port };
      must({ type: 'AddNode', data: { enabled: true, spec, token: 'node-token' } });
      const asked = read.nodes.get(NodeId.parse(n));
      if (!asked) throw new Error('there is no node');
      bus.dispatch(
        { type: 'RecordNodeIdentity', data: { queried: asked, identity: { kind: '3x-ui', panelId: '' } } },
        asNode(asked),
      );
    }
    const rounds = Array.from({ length: 8 }, (_, n) => sync.round(NodeId.parse(n + 2)));
    onTestFinished(async () => {
      await sync.stop();
      await Promise.all(rounds);
    });
    await eventually(() => expect(held).toBe(8));
    const queued = sync.round(nodeOne);
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 1, remaining: 0, kept: 0 });
    await queued;
    expect(xui.inbounds).toStrictEqual([]);
  });

  it('is aborted when the panel stops', async () => {
    const { addInbound, round, remote, sync } = await withXui();
    addInbound([alice]);
    await round();
    let knocked = (): void => undefined;
    const waits = new Promise<void>((resolve) => (knocked = resolve));
    remote.fault = () => (knocked(), true);
    const left = sync.cleanUp(nodeOne);
    await waits;
    await sync.stop();
    expect(await left).toStrictEqual(untold);
  });

  it('counts what a second listing shows, not what the node accepted', async () => {
    const { addInbound, round, remote, sync, xui, types } = await withXui();
    addInbound([alice]);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    const kept = xui.byTag('in-1').id;
    remote.routes.unshift(['POST', new RegExp(`inbounds/del/${kept}$`), () => ({ msg: 'yes' })]);
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 1, remaining: 1, kept: 0 });
    expect(xui.inbounds.map(({ tag }) => tag)).toStrictEqual(['in-1']);
    expect(types().filter((type) => type === 'NodeInboundRemoved')).toHaveLength(1);
  });

  it('removes everything except what the node refuses to remove', async () => {
    const { addInbound, round, remote, sync, xui } = await withXui();
    addInbound([alice]);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    remote.routes.unshift(['POST', new RegExp(`inbounds/del/${xui.byTag('in-1').id}$`), () => 'Something went wrong']);
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 1, remaining: 1, kept: 0 });
    expect(xui.inbounds.map(({ tag }) => tag)).toStrictEqual(['in-1']);
  });

  it('runs once for several callers', async () => {
    const { addInbound, round, sync, asked } = await withXui();
    addInbound([alice]);
    await round();
    asked();
    const nothing = { removed: 1, remaining: 0, kept: 0 };
    expect(await Promise.all([sync.cleanUp(nodeOne), sync.cleanUp(nodeOne)])).toStrictEqual([nothing, nothing]);
    expect(asked()).toStrictEqual([expect.stringMatching(/^POST del\/\d+$/)]);
  });
});
