import { Subject } from 'rxjs';
import {
  type Core,
  type CoreCounters,
  CoreError,
  type CoreExit,
  type CoreFlaw,
  type CoreRun,
  type HeldAddresses,
  type OnlineUser,
  type RunningAccount,
} from '../../../../src/commands/ports/core.js';
import type { CoreConfig, CoreInbound, CoreUser } from '../../../../src/lib/core-config.js';
import { canonicalJson, type JsonObject } from '../../../../src/lib/json.js';

interface Listening {
  readonly config: JsonObject;
  readonly users: Map<number, CoreUser>;
}

/** A counter of the core: of a client by its number, of an inbound or an outbound by its tag. */
export type Count =
  | { readonly kind: 'client'; readonly name: number; readonly up: number; readonly down: number }
  | { readonly kind: 'inbound' | 'outbound'; readonly name: string; readonly up: number; readonly down: number };

/** A core without a process. It does as it is told, notes what that was, and fails where a test says so. */
export class FakeCore implements Core {
  /** Every call that changes something, in order. */
  calls: string[] = [];
  readonly exited$ = new Subject<CoreExit>();
  readonly inbounds = new Map<string, Listening>();
  running: CoreRun | null = null;
  runs = 0;
  /** What an earlier panel left running. */
  left: CoreRun | null = null;
  template: JsonObject | null = null;
  counts: readonly Count[] = [];
  connected: OnlineUser[] = [];
  /** `person address` → ms since something came from there. */
  readonly silent = new Map<string, number>();
  /** Whether the system lets sockets be destroyed. */
  mayDestroy = true;
  #held = '';
  /** What each client was called when its account was added last. */
  readonly #names = new Map<number, string>();

  /** Tags that no configuration may hold. */
  readonly refuses = new Set<string>();
  /** Tags with which it passes the test and does not start, for a reason that names nobody; true: it breaks down with them. */
  readonly spoils = new Map<string, boolean>();
  /** Emails that go on to move bytes, whatever is cut. */
  readonly uncuttable = new Set<string>();
  /** The next call of this name fails so. */
  readonly fail = new Map<string, CoreError>();

  /** What was called since the last look. */
  seen(): string[] {
    const { calls } = this;
    this.calls = [];
    return calls;
  }

  /** Whether it says that it lives when it is asked. */
  responsive = true;
  async answers(): Promise<boolean> {
    await this.#called('answers');
    return this.responsive && this.running !== null;
  }

  crash(reason: string): void {
    const run = this.running?.run ?? '';
    this.running = null;
    this.inbounds.clear();
    this.exited$.next({ run, reason, configuration: false });
  }

  async #called(name: string, what = ''): Promise<void> {
    this.calls.push(what === '' ? name : `${name} ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
    const error = this.fail.get(name);
    this.fail.delete(name);
    if (error) throw error;
  }

  version = (): Promise<string> => Promise.resolve('26');

  async test({ inbounds }: CoreConfig): Promise<void> {
    const bad = [...inbounds.keys()].find((tag) => this.refuses.has(tag));
    if (bad !== undefined) throw new CoreError('invalid', `inbound ${bad} is refused`, { inbound: bad });
    await Promise.resolve();
  }

  testTemplate(config: CoreConfig): Promise<void> {
    return this.test(config);
  }

  testInbound(inbound: CoreInbound): Promise<void> {
    return this.test({ template: {}, inbounds: new Map([[inbound.tag, inbound]]) });
  }

  async start(config: CoreConfig): Promise<CoreRun> {
    await this.#called('start', [...config.inbounds.keys()].join());
    await this.test(config);
    if ([...config.inbounds.keys()].some((tag) => this.spoils.has(tag)))
      throw new CoreError('refused', 'no such thing');
    this.inbounds.clear();
    for (const inbound of config.inbounds.values()) this.#listen(inbound);
    this.template = config.template;
    this.counts = [];
    this.#held = '';
    this.runs += 1;
    this.running = { run: `run-${this.runs}`, version: '26', pid: this.runs };
    return this.running;
  }

  async judge({ inbounds }: CoreConfig): Promise<ReadonlyMap<string, CoreFlaw>> {
    await this.#called('judge', [...inbounds.keys()].join());
    const flaw = (tag: string): CoreFlaw => ({ reason: `${tag} is at fault`, breaks: this.spoils.get(tag) === true });
    const tags = [...inbounds.keys()].filter((tag) => this.spoils.has(tag) || this.refuses.has(tag));
    return new Map(tags.map((tag) => [tag, flaw(tag)]));
  }

  adopt(): Promise<CoreRun | null> {
    this.running = this.left;
    this.left = null;
    return Promise.resolve(this.running);
  }

  async stop(): Promise<void> {
    await this.#called('stop');
    this.running = null;
    this.inbounds.clear();
  }

  async release(): Promise<void> {
    await this.#called('release');
    this.left = this.running;
    this.running = null;
  }

  #listen({ tag, config, users }: CoreInbound): void {
    for (const { client, email } of users.values()) this.#names.set(client, email);
    this.inbounds.set(tag, { config, users: new Map(users) });
  }

  async addInbounds(inbounds: readonly CoreInbound[]): Promise<ReadonlyMap<string, CoreError>> {
    const refused = new Map<string, CoreError>();
    for (const inbound of inbounds) {
      await this.#called('addInbound', inbound.tag);
      const why = this.#flawOf(inbound);
      if (why === null) this.#listen(inbound);
      else refused.set(inbound.tag, new CoreError('refused', why));
    }
    return refused;
  }

  #flawOf({ tag, config }: CoreInbound): string | null {
    if (this.refuses.has(tag) || this.spoils.has(tag)) return `inbound ${tag} is refused`;
    const there = [...this.inbounds].find(([, { config: other }]) => other['port'] === config['port']);
    return there ? `port ${String(config['port'])} is used by ${there[0]}` : null;
  }

  async removeInbound({ tag }: CoreInbound): Promise<void> {
    await this.#called('removeInbound', tag);
    this.inbounds.delete(tag);
  }

  async addUser({ tag }: CoreInbound, user: CoreUser): Promise<void> {
    await this.#called('addUser', `${tag} ${user.email}`);
    this.#names.set(user.client, user.email);
    this.inbounds.get(tag)?.users.set(user.client, user);
  }

  async removeUser({ tag }: CoreInbound, { client, email }: Pick<CoreUser, 'client' | 'email'>): Promise<void> {
    await this.#called('removeUser', `${tag} ${email}`);
    this.inbounds.get(tag)?.users.delete(client);
  }

  #nameOf(client: number): string {
    return this.#names.get(client) ?? String(client);
  }

  async cut({ tag }: CoreInbound, clients: readonly number[]): Promise<readonly number[]> {
    await this.#called('cut', `${tag} ${clients.map((client) => this.#nameOf(client)).join()}`);
    return clients.filter((client) => this.uncuttable.has(this.#nameOf(client)));
  }

  #heldText(held: readonly HeldAddresses[]): string {
    const texts = held.map((one) => `${one.inbound} ${this.#nameOf(one.client)} ${one.addresses.join()}`);
    return texts.join('; ');
  }

  async hold(held: readonly HeldAddresses[]): Promise<void> {
    const text = this.#heldText(held);
    if (text === '' && this.#held === '') return;
    await this.#called('hold', text);
    this.#held = text;
  }

  async cutAddresses(held: readonly HeldAddresses[], last: boolean): Promise<boolean> {
    await this.#called(last ? 'cutAddressesLast' : 'cutAddresses', this.#heldText(held));
    return this.mayDestroy;
  }

  silence = (): Promise<(person: string, address: string) => number | null> =>
    Promise.resolve((person, address) => this.silent.get(`${person} ${address}`) ?? null);

  async inboundTags(): Promise<readonly string[]> {
    const error = this.fail.get('inboundTags');
    this.fail.delete('inboundTags');
    if (error) throw error;
    await Promise.resolve();
    return [...this.inbounds.keys()];
  }

  users(inbound: CoreInbound): Promise<ReadonlyMap<number, RunningAccount>> {
    const users = [...(this.inbounds.get(inbound.tag)?.users ?? [])];
    const digest = (user: CoreUser): string => this.accountDigest(inbound, user);
    return Promise.resolve(new Map(users.map(([n, user]) => [n, { email: user.email, digest: digest(user) }])));
  }

  accountDigest = (_: CoreInbound, { email, account }: CoreUser): string => canonicalJson([email, account]);

  appliedInbounds(): ReadonlyMap<string, JsonObject> {
    return new Map([...this.inbounds].map(([tag, { config }]) => [tag, config]));
  }

  appliedTemplate = (): JsonObject | null => this.template;

  async counters(): Promise<CoreCounters> {
    const error = this.fail.get('counters');
    this.fail.delete('counters');
    if (error) throw error;
    await Promise.resolve();
    const of = <K>(kind: Count['kind']) =>
      new Map(this.counts.filter((one) => one.kind === kind).map(({ name, up, down }) => [name as K, { up, down }]));
    return { clients: of<number>('client'), inbounds: of<string>('inbound'), outbounds: of<string>('outbound') };
  }

  online = (): Promise<readonly OnlineUser[]> => Promise.resolve(this.connected);
  /** What `use` was told. */
  readonly used: (string | null)[] = [];
  use = (binary: string | null): void => void this.used.push(binary);
  trial = (binary: string): Promise<string | null> => this.trials(binary);
  /** What another executable says of itself. */
  trials = (_binary: string): Promise<string | null> => Promise.resolve(null);
  assemble = ({ template }: CoreConfig): JsonObject => template;
  passedOver = (): readonly string[] => [];
  output = (): string => '';
  x25519 = (): { privateKey: string; publicKey: string } => ({ privateKey: '', publicKey: '' });
  metrics: Core['metrics'] = {
    listen: null,
    runtime: () => Promise.reject(new CoreError('not-running', 'The core does not run')),
    observatory: () => Promise.resolve([]),
  };
  keys: Core['keys'] = {
    mldsa65: () => Promise.resolve({ seed: '', verify: '' }),
    mlkem768: () => Promise.resolve({ seed: '', client: '' }),
    vlessEncryption: () => Promise.resolve([]),
    ech: () => Promise.resolve({ serverKeys: '', configList: '' }),
  };

  /** What runs, as names: tag → emails. */
  get served(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      [...this.inbounds].map(([tag, { users }]) => [tag, [...users.values()].map(({ email }) => email)]),
    );
  }
}
