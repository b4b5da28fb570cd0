import { afterAll, beforeAll } from 'vitest';
import type { Core } from '../../../src/commands/ports/core.js';
import { certificate, configOf, place, type Target, target } from './kit.js';
import { type Way, ways } from './protocols.js';

interface Stage {
  readonly core: Core;
  /** Where this core has its files, and a client core may have its own. */
  readonly folder: string;
  readonly web: Target;
  way(name: string): Way;
}

/** For the tests of a suite: a real core that runs without inbounds, a target behind it, and the ways through it. */
export function coreStage(): Stage {
  const stage = {} as Stage;
  let end = async (): Promise<void> => undefined;
  beforeAll(async () => {
    const cert = await certificate();
    const web = await target(cert);
    const { core, folder, dispose } = place();
    end = async () => {
      await dispose();
      await web.close();
    };
    const all = ways(cert, web.tlsPort);
    const way = (name: string): Way => {
      const known = all[name];
      if (!known) throw new Error(`there is no way ${name}`);
      return known;
    };
    Object.assign(stage, { core, folder, web, way });
    await core.process.start(configOf([]));
  });
  afterAll(() => end());
  return stage;
}
