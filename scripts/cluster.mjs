// npm run cluster: sets up what is missing, then runs a cluster on this machine until Ctrl-C.
import { runCluster } from './local-cluster.mjs';
import { ensureNats } from './nats.mjs';
import { ensureReady, main } from './setup.mjs';

await main(async () => {
  const { core } = await ensureReady({ dev: false });
  return runCluster({ core, nats: await ensureNats() });
});
