// Third-party client apps that check the panel's subscriptions in the tests: Mihomo and sing-box. The panel itself does not
// use them. They are compiled once, from their Go modules.
//   PORTOLAN_CLIENT_APPS=off                     the tests that need them are skipped
//   PORTOLAN_MIHOMO_BIN, PORTOLAN_SING_BOX_BIN   paths of existing programs, which are then not compiled
import { answers, cached, keep, reasonOf } from './cache.mjs';
import { compileGo } from './go.mjs';

/** The tags omit features that the tests do not use, which halves the compile time. */
const CLIENT_APPS = [
  {
    name: 'mihomo',
    variable: 'PORTOLAN_MIHOMO_BIN',
    module: 'github.com/metacubex/mihomo',
    version: '1.19.30',
    sum: 'h1:2lTz7fcyZAQQzwbPuETChtwSHIHsT4zYhBSC3i/fRVI=',
    tags: 'no_tailscale,no_zerotier,no_fake_tcp',
    package: '.',
    asked: ['-v'],
    answer: 'Mihomo Meta ',
  },
  {
    name: 'sing-box',
    variable: 'PORTOLAN_SING_BOX_BIN',
    module: 'github.com/sagernet/sing-box',
    version: '1.14.1',
    sum: 'h1:LumpcrArE3cxXYxoKhNN4yOQq1TeaEEuKWHCokodO9M=',
    tags: 'with_quic,with_utls',
    package: './cmd/sing-box',
    asked: ['version'],
    answer: 'sing-box version ',
  },
];
const PURPOSE = 'which checks subscriptions in the tests (once, two to five minutes)';

/**
 * Returns the environment variables with the paths of the programs, and the names of missing programs. Compiles programs that
 * are not in the cache, which takes minutes. Never throws: without Go or its module proxy, a program is reported as missing.
 */
export async function ensureClientApps({ build = true } = {}) {
  const found = {};
  const missing = [];
  for (const app of CLIENT_APPS) {
    const path = await pathOf(app, build);
    if (path) found[app.variable] = path;
    else missing.push(app.name);
  }
  return { found, missing };
}

async function pathOf(app, build) {
  if (process.env.PORTOLAN_CLIENT_APPS === 'off') return undefined;
  const runs = (path) => answers(path, app.asked, app.answer);
  const configured = process.env[app.variable];
  if (configured) {
    if (await runs(configured)) return configured;
    console.warn(`${app.variable} is set to ${configured}, which does not run as ${app.name}.`);
    return undefined;
  }
  const path = cached('judges', `${app.name}-${app.version}`, app.name);
  if (await runs(path)) return path;
  if (!build) return undefined;
  try {
    await keep(path, (folder) => compileGo({ ...app, purpose: PURPOSE }, folder), runs);
    return path;
  } catch (error) {
    console.warn(`${app.name} ${app.version} could not be compiled: ${reasonOf(error)}.`);
    return undefined;
  }
}
