import { describe, expect, it, onTestFinished } from 'vitest';
import { examineInbounds } from '../../../src/cli/examination/examine-inbounds.js';
import { inEnglish } from '../../../src/cli/output.js';
import type { PanelEvent } from '../../../src/events/catalog.js';
import { InboundAcceptedByCore, InboundRejectedByCore } from '../../../src/events/core.js';
import { NodeId } from '../../../src/events/ids.js';
import { InboundDisabled } from '../../../src/events/inbound/inbound.js';
import { NodeAdded, NodeDeleted } from '../../../src/events/node/node.js';
import { verbatim } from '../../../src/messages/message.js';
import { coreState } from '../../../src/projections/core/core-state.js';
import { refusedHere } from '../../../src/projections/core/refused-here.js';
import { inbounds } from '../../../src/projections/models/inbounds.js';
import { nodes } from '../../../src/projections/node/nodes.js';
import { inboundAdded, one, two } from '../../kit/builders.js';
import { makeCertificate } from '../../kit/real/certificate.js';
import { folded } from '../../kit/spec.js';

const nodeOne = NodeId.parse(1);
const nodeAdded = NodeAdded({
  ...{ node: nodeOne, enabled: true, keyVersion: 1, secret: { token: '' } },
  spec: {
    ...{ name: 'Oslo', remark: '', scheme: 'https', host: '203.0.113.7', port: 2053, basePath: '/' },
    allowPrivateAddress: false,
  },
});
const states = (events: readonly PanelEvent[]) => [folded(inbounds, ...events), folded(coreState, ...events)] as const;
const lines = async (...events: PanelEvent[]): Promise<readonly string[]> =>
  (await examineInbounds(...states(events), folded(nodes, ...events).documents))
    .map(inEnglish)
    .map(({ what, ok, note, detail }) => `${ok ? 'ok' : note ? 'NOTE' : 'BAD'} ${what}: ${detail}`);
const reason = 'open /a.pem: no such file or directory';
const refused = InboundRejectedByCore({ inbound: one, reason: verbatim(reason) });

/** A TLS inbound with these files. */
const tls = (certificateFile: string, keyFile: string, over: { id?: typeof two; node?: NodeId } = {}) =>
  inboundAdded({
    ...over,
    spec: { tag: over.id === two ? 'in-2' : 'in-1', port: over.id === two ? 8443 : 443 },
    config: {
      stream: { network: 'tcp', security: 'tls', tlsSettings: { certificates: [{ certificateFile, keyFile }] } },
    },
  });

describe('inbounds that do not run', () => {
  it('are those that the core of this machine rejects while they are enabled', async () => {
    const added = inboundAdded();
    const { tag } = added.data.spec;
    expect(await lines(added, refused)).toEqual([`NOTE inbound 1 (${tag}): the core rejects it: ${reason}`]);
    const well = 'ok inbounds: no inbound is rejected';
    expect(await lines(added, refused, InboundAcceptedByCore({ inbound: one }))).toEqual([`${well} (running here: 1)`]);
    expect(await lines(added, refused, InboundDisabled({ inbound: one }))).toEqual([`${well} (running here: 0)`]);
    expect(await lines(nodeAdded, inboundAdded({ node: nodeOne }), refused)).toEqual([`${well} (running here: 0)`]);
  });

  it('are those of a deleted node', async () => {
    const bound = inboundAdded({ node: nodeOne });
    expect(await lines(nodeAdded, bound, inboundAdded({ id: two }), NodeDeleted({ node: nodeOne }))).toEqual([
      `NOTE inbound 1 (${bound.data.spec.tag}): its node (#1) was deleted, so it runs nowhere: delete it, or add it again here or on another node`,
    ]);
  });

  it('are reported with their reasons at each start', () => {
    expect(refusedHere(...states([inboundAdded(), refused]))).toMatchObject([
      { inbound: { id: 1 }, reason: verbatim(reason) },
    ]);
  });

  it('are those with invalid certificates, also before the core checks them', async () => {
    const good = await makeCertificate();
    onTestFinished(() => good.remove());
    const gone = '/nowhere/fullchain.pem';
    const node = tls(gone, gone, { id: two, node: nodeOne });
    expect(await lines(nodeAdded, tls(good.certFile, good.keyFile), node)).toEqual([
      'ok inbounds: no inbound is rejected (running here: 1)',
    ]);
    expect(await lines(tls(gone, gone), tls(good.certFile, good.keyFile, { id: two }))).toEqual([
      `NOTE inbound 1 (in-1): ${gone}: The certificate file does not exist`,
    ]);
  });

  it('are those with invalid certificates given as lines, also on a node', async () => {
    const garbage = (over: { id?: typeof two; node?: NodeId } = {}) =>
      inboundAdded({
        ...over,
        spec: { tag: over.id === two ? 'in-2' : 'in-1', port: over.id === two ? 8443 : 443 },
        config: {
          stream: { security: 'tls', tlsSettings: { certificates: [{ certificate: ['my secret'], key: ['x'] }] } },
        },
      });
    const why = 'its certificate: The certificate lines do not contain a PEM certificate';
    expect(await lines(nodeAdded, garbage(), garbage({ id: two, node: nodeOne }))).toEqual([
      `NOTE inbound 1 (in-1): ${why}`,
      `NOTE inbound 2 (in-2): ${why}`,
    ]);
  });
});
