import { Subject } from 'rxjs';
import {
  type BlockedAddresses,
  type Core,
  CoreError,
  type CoreExit,
  type CoreRun,
  type OnlineUser,
} from '../../../../src/commands/ports/core.js';
import { CounterTable } from '../../../../src/events/traffic/counter-table.js';
import type { CoreConfig, CoreInbound, CoreUser } from '../../../../src/lib/core-config.js';
import { canonicalJson, type JsonObject } from '../../../../src/lib/json.js';
import { verbatim } from '../../../../src/messages/message.js';

interface Listening {
  readonly config: JsonObject;
  readonly users: Map<number, CoreUser>;
}

/** A counter of the core: of a client by its number, of an inbound or an outbound by its tag. */
export type Count =
  | { readonly kind: 'client'; readonly name: number; readonly up: number; readonly down: number }
  | { readonly kind: 'inbound' | 'outbound'; readonly name: string; readonly up: number; readonly down: number };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A core without a process. It records the calls, and fails where a test configures it. */
export class FakeCore implements Core {
  /** Every call that changes something, in order. */
  calls: string[] = [];
  readonly exited$ = new Subject<CoreExit>();
  readonly listening = new Map<string, Listening>();
  run: CoreRun | null = null;
  runs = 0;
  /** The core that an earlier panel left running. */
  left: CoreRun | null = null;
  template: JsonObject | null = null;
  counts: readonly Count[] = [];
  connected: OnlineUser[] = [];
  /** `person address` → ms since something came from there. */
  readonly silent = new Map<string, number>();
  /** Whether the system allows sockets to be destroyed. */
  mayDestroy = true;
  #blocked = '';
  /** The email of each client when its account was added last. */
  readonly #names = new Map<number, string>();

  /** Tags that no configuration may hold. */
  readonly refuses = new Set<string>();
  /** Tags with which it passes its test but does not start, for a reason without a tag; true: it crashes with them. */
  readonly spoils = new Map<string, boolean>();
  /** By tag, the clients that the log of the core names. */
  readonly seenClients = new Map<string, number[]>();
  /** Inbounds that an earlier panel process removed without recording that their connections are closed. */
  readonly halfRemoved = new Map<string, JsonObject>();
  /** Emails that still transfer bytes after each disconnect. */
  readonly uncuttable = new Set<string>();
  /** The next call of this name fails so. */
  readonly fail = new Map<string, CoreError>();

  /** The calls since the last query. */
  seen(): string[] {
    const { calls } = this;
    this.calls = [];
    return calls;
  }

  /** Whether it responds. */
  responsive = true;

  crash(reason: string): void {
    const run = this.run?.run ?? '';
    this.run = null;
    this.listening.clear();
    this.exited$.next({ run, reason: verbatim(reason), configuration: false });
  }

  async #called(name: string, what = ''): Promise<void> {
    this.calls.push(what === '' ? name : `${name} ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
    this.#failIfAsked(name);
  }

  #failIfAsked(name: string): void {
    const error = this.fail.get(name);
    this.fail.delete(name);
    if (error) throw error;
  }

  readonly process: Core['process'] = this.#process();
  #process(): Core['process'] {
    const running = (): CoreRun | null => this.run;
    return {
      get running() {
        return running();
      },
      exited$: this.exited$,
      start: (config) => this.start(config),
      adopt: () => {
        this.run = this.left;
        this.left = null;
        return Promise.resolve(this.run);
      },
      stop: async () => {
        await this.#called('stop');
        this.run = null;
        this.listening.clear();
      },
      release: async () => {
        await this.#called('release');
        this.left = this.run;
        this.run = null;
      },
      responds: async () => {
        await this.#called('responds');
        return this.responsive && this.run !== null;
      },
      trialInbounds: async ({ inbounds }) => {
        await this.#called('trialInbounds', [...inbounds.keys()].join());
        const tags = [...inbounds.keys()].filter((tag) => this.spoils.has(tag) || this.refuses.has(tag));
        return new Map(
          tags.map((tag) => [tag, { reason: verbatim(`${tag} is at fault`), crashes: this.spoils.get(tag) === true }]),
        );
      },
      appliedTemplate: () => this.template,
      output: () => '',
    };
  }

  async start(config: CoreConfig): Promise<CoreRun> {
    await this.#called('start', [...config.inbounds.keys()].join());
    await this.config.test(config);
    if ([...config.inbounds.keys()].some((tag) => this.spoils.has(tag)))
      throw new CoreError('refused', verbatim('no such thing'));
    this.listening.clear();
    for (const inbound of config.inbounds.values()) this.#listen(inbound);
    this.template = config.template;
    this.counts = [];
    this.#blocked = '';
    this.runs += 1;
    this.run = { run: `run-${this.runs}`, version: '26', pid: this.runs };
    return this.run;
  }

  /** The arguments of `binary.use`. */
  readonly used: (string | null)[] = [];
  readonly binary: Core['binary'] = {
    version: () => Promise.resolve('26'),
    use: (binary) => void this.used.push(binary),
    trial: (binary) => this.trials(binary),
  };
  /** The version output of another executable. */
  trials = (_binary: string): Promise<string | null> => Promise.resolve(null);

  readonly config: Mutable<Core['config']> = {
    test: async ({ inbounds }) => {
      const bad = [...inbounds.keys()].find((tag) => this.refuses.has(tag));
      if (bad !== undefined) throw new CoreError('invalid', verbatim(`inbound ${bad} is refused`), { inbound: bad });
      await Promise.resolve();
    },
    testTemplate: (config) => this.config.test(config),
    testInbound: (inbound) => this.config.test({ template: {}, inbounds: new Map([[inbound.tag, inbound]]) }),
    assemble: ({ template }) => template,
    ignoredSettings: () => [],
  };

  #listen({ tag, config, users }: CoreInbound): void {
    for (const { client, email } of users.values()) this.#names.set(client, email);
    this.listening.set(tag, { config, users: new Map(users) });
  }

  readonly inbounds: Mutable<Core['inbounds']> = {
    add: async (inbounds) => {
      const refused = new Map<string, CoreError>();
      for (const inbound of inbounds) {
        await this.#called('addInbound', inbound.tag);
        const why = this.#problemOf(inbound);
        if (why === null) this.#listen(inbound);
        else refused.set(inbound.tag, new CoreError('refused', verbatim(why)));
      }
      return refused;
    },
    remove: async ({ tag }) => {
      await this.#called('removeInbound', tag);
      this.listening.delete(tag);
      this.halfRemoved.delete(tag);
    },
    tags: async () => {
      this.#failIfAsked('inboundTags');
      await Promise.resolve();
      return [...this.listening.keys()];
    },
    applied: () =>
      new Map([...this.halfRemoved, ...[...this.listening].map(([tag, { config }]) => [tag, config] as const)]),
  };

  #problemOf({ tag, config }: CoreInbound): string | null {
    if (this.refuses.has(tag) || this.spoils.has(tag)) return `inbound ${tag} is refused`;
    const there = [...this.listening].find(([, { config: other }]) => other['port'] === config['port']);
    return there ? `port ${String(config['port'])} is used by ${there[0]}` : null;
  }

  readonly users: Core['users'] = {
    add: async ({ tag }, user) => {
      await this.#called('addUser', `${tag} ${user.email}`);
      this.#names.set(user.client, user.email);
      this.listening.get(tag)?.users.set(user.client, user);
    },
    remove: async ({ tag }, { client, email }) => {
      await this.#called('removeUser', `${tag} ${email}`);
      this.listening.get(tag)?.users.delete(client);
    },
    disconnect: async ({ tag }, clients) => {
      await this.#called('disconnect', `${tag} ${clients.map((client) => this.#nameOf(client)).join()}`);
      return clients.filter((client) => this.uncuttable.has(this.#nameOf(client)));
    },
    seen: ({ tag }) => Promise.resolve(this.seenClients.get(tag) ?? []),
    list: (inbound) => {
      const users = [...(this.listening.get(inbound.tag)?.users ?? [])];
      const digest = (user: CoreUser): string => this.users.digest(inbound, user);
      return Promise.resolve(new Map(users.map(([n, user]) => [n, { email: user.email, digest: digest(user) }])));
    },
    digest: (_, { email, account }) => canonicalJson([email, account]),
  };

  #nameOf(client: number): string {
    return this.#names.get(client) ?? String(client);
  }

  #textOf(blocked: readonly BlockedAddresses[]): string {
    const texts = blocked.map((one) => `${one.inbound} ${this.#nameOf(one.client)} ${one.addresses.join()}`);
    return texts.join('; ');
  }

  readonly addresses: Core['addresses'] = {
    block: async (blocked) => {
      const text = this.#textOf(blocked);
      if (text === '' && this.#blocked === '') return;
      await this.#called('block', text);
      this.#blocked = text;
    },
    disconnect: async (blocked, last) => {
      await this.#called(last ? 'disconnectAddressesLast' : 'disconnectAddresses', this.#textOf(blocked));
      return this.mayDestroy;
    },
    idleTimes: () => Promise.resolve((person, address) => this.silent.get(`${person} ${address}`) ?? null),
  };

  readonly stats: Mutable<Core['stats']> = {
    counters: async () => {
      this.#failIfAsked('counters');
      await Promise.resolve();
      const of = <K>(kind: Count['kind']) =>
        new Map(this.counts.filter((one) => one.kind === kind).map(({ name, up, down }) => [name as K, { up, down }]));
      return {
        clients: CounterTable.of(of<number>('client')),
        inbounds: of<string>('inbound'),
        outbounds: of<string>('outbound'),
      };
    },
    online: () => Promise.resolve(this.connected),
    metrics: {
      listen: null,
      runtime: () => Promise.reject(new CoreError('not-running', verbatim('The core does not run'))),
      observatory: () => Promise.resolve([]),
    },
  };

  readonly keys: Core['keys'] = {
    x25519: () => ({ privateKey: '', publicKey: '' }),
    mldsa65: () => Promise.resolve({ seed: '', verify: '' }),
    mlkem768: () => Promise.resolve({ seed: '', client: '' }),
    vlessEncryption: () => Promise.resolve([]),
    selfSigned: () => Promise.resolve({ certificate: [], key: [] }),
    ech: () => Promise.resolve({ serverKeys: '', configList: '' }),
  };

  /** The running inbounds: tag → emails. */
  get served(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      [...this.listening].map(([tag, { users }]) => [tag, [...users.values()].map(({ email }) => email)]),
    );
  }
}
