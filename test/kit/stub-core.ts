import { NEVER } from 'rxjs';
import { type Core, CoreError } from '../../src/commands/ports/core.js';
import { verbatim } from '../../src/messages/message.js';

/** The methods that a test replaces, by port. */
export type CoreStub = { readonly [Port in keyof Core]?: Partial<Core[Port]> };

/** A core that accepts every configuration and runs nothing. */
export function stubCore(over: CoreStub = {}): Core {
  const fails = (): Promise<never> => Promise.reject(new CoreError('not-running', verbatim('The core does not run')));
  const done = async (): Promise<void> => undefined;
  return {
    process: {
      running: null,
      exited$: NEVER,
      start: fails,
      adopt: async () => null,
      stop: done,
      release: done,
      responds: async () => false,
      trialInbounds: async () => new Map(),
      appliedTemplate: () => null,
      output: () => '',
      ...over.process,
    },
    binary: { version: async () => null, use: () => undefined, trial: async () => null, ...over.binary },
    config: {
      test: done,
      testTemplate: done,
      testInbound: done,
      assemble: ({ template }) => template,
      ignoredSettings: () => [],
      ...over.config,
    },
    inbounds: { add: fails, remove: fails, tags: fails, applied: () => new Map(), ...over.inbounds },
    users: { add: fails, remove: fails, disconnect: fails, seen: fails, list: fails, digest: () => '', ...over.users },
    addresses: { block: fails, disconnect: fails, idleTimes: fails, ...over.addresses },
    stats: {
      counters: fails,
      online: fails,
      metrics: { listen: null, runtime: fails, observatory: fails },
      ...over.stats,
    },
    keys: {
      x25519: () => ({ privateKey: 'a', publicKey: 'b' }),
      mldsa65: fails,
      mlkem768: fails,
      vlessEncryption: fails,
      selfSigned: fails,
      ech: fails,
      ...over.keys,
    },
  };
}
