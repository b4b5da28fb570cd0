import { XuiInbounds } from '../../test/kit/real/three-x-ui/three-x-ui-inbounds.js';
import { ThreeXuiNode } from '../../test/kit/real/three-x-ui/three-x-ui-node.js';

// A process with simulated nodes, each with a port of its own, that speak the protocol of 3x-ui 3.0. One in ten clients has traffic.
const [count = '1'] = process.argv.slice(2);
const POLL_MS = 5000;
const SHARE = 10;

interface Simulated {
  readonly node: ThreeXuiNode;
  readonly inbounds: XuiInbounds;
}

const nodes: Simulated[] = [];
let answered = 0;

function poll(): void {
  for (const { node, inbounds } of nodes) {
    answered += node.calls.filter(({ path }) => path === 'panel/api/server/status').length;
    node.calls.length = 0;
    let n = 0;
    for (const row of inbounds.rows.values()) {
      const inbound = inbounds.inbounds[0];
      n += 1;
      if (inbound && n % SHARE === 0) inbounds.flow(inbound.tag, row.email, 50_000, 5000);
    }
    inbounds.poll();
  }
}

const figures = () => ({
  answered,
  clients: nodes.reduce((sum, { inbounds }) => sum + inbounds.rows.size, 0),
});

for (let n = 0; n < Number(count); n += 1) {
  const node = await ThreeXuiNode.start();
  nodes.push({ node, inbounds: new XuiInbounds(node) });
}
setInterval(poll, POLL_MS);
process.on('message', () => process.send?.(figures()));
process.once('disconnect', () => process.exit());
process.send?.(nodes.map(({ node }) => node.port));
