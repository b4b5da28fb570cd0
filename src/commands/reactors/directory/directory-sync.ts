import { setImmediate as breathe } from 'node:timers/promises';
import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { ClientSpec } from '../../../events/client/client.js';
import type { Client } from '../../../events/client/client-document.js';
import type { DirectoryOutcome } from '../../../events/directory.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import type { Secrets, Settings } from '../../../events/settings/settings.js';
import { sameJson } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { Done } from '../../bus.js';
import type { AnyCommand } from '../../catalog.js';
import type { ClientDraft } from '../../client/credentials.js';
import { type Directory, type DirectoryEntry, DirectoryError, directoryConfig } from '../../ports/directory.js';
import { Rejection } from '../../rejection.js';
import { SettingsSchedule } from '../schedule.js';
import { type DirectoryPlan, type KnownState, planSync } from './directory-plan.js';

interface Parts {
  readonly directory: Directory;
  readonly settings: () => Settings;
  readonly secrets: () => Secrets;
  /** The current state of the panel. */
  readonly known: () => KnownState;
  readonly client: (number: Client['number']) => Client | undefined;
  /** The last recorded result; null when it is unknown. */
  readonly last: () => DirectoryOutcome | null;
  /** The credential and the subscription id of a new client. */
  readonly fresh: (inbound: Inbound) => { readonly credential: ClientDraft['credential']; readonly subId: string };
  readonly dispatch: (command: AnyCommand) => Done | Rejection;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

const GB = 1024 ** 3;
const DAY_MS = 86_400_000;
/** Clients of one command. */
const CLIENTS_PER_COMMAND = 50;
const NOTHING: DirectoryOutcome = { added: 0, enabled: 0, disabled: 0, deleted: 0, rejected: 0, error: null };
/** Brings clients in line with a directory, by its schedule, one run at a time. See `planSync` for the rules. */
export class DirectorySync {
  readonly #parts: Parts;
  #following: Subscription | null = null;
  readonly #schedule: SettingsSchedule;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { settings, warn } = parts;
    const run = (): void => void this.run();
    this.#schedule = new SettingsSchedule({ schedule: 'ldapSyncCron', enabledBy: 'ldapEnable', settings, run, warn });
  }

  begin(): void {
    this.#schedule.begin();
    this.#following = this.#parts.changed$.subscribe((events) => this.#schedule.onEvents(events));
  }

  /** Stops the schedule. A sync in progress changes nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#following?.unsubscribe();
    this.#schedule.stop();
  }

  /** Runs a sync, or joins the one in progress. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#sync()
      .catch((error: unknown) => this.#parts.warn('the sync with the directory failed', { err: error }))
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #sync(): Promise<void> {
    const { directory, settings, secrets, known } = this.#parts;
    const current = settings();
    if (!current.ldapEnable || current.ldapInboundTags.trim() === '') return;
    let entries: readonly DirectoryEntry[];
    try {
      entries = await directory.entries(
        directoryConfig(current, secrets()),
        current.ldapFlagField || current.ldapVlessField,
      );
    } catch (error) {
      if (!(error instanceof DirectoryError)) throw error;
      return this.#report({ ...NOTHING, error: error.text });
    }
    // The state may have changed while the directory was answering.
    if (!settings().ldapEnable) return;
    this.#report(await this.#apply(planSync(entries, known())));
  }

  async #apply(plan: DirectoryPlan): Promise<DirectoryOutcome> {
    const counts = { added: 0, enabled: 0, disabled: 0, deleted: 0, rejected: 0 };
    // Access is removed first, so that an interrupted run errs on the safe side.
    for (const [key, clients] of [
      ['disabled', plan.disable],
      ['deleted', plan.remove],
      ['enabled', plan.enable],
    ] as const) {
      for (const client of clients) {
        const done = this.#do(key === 'deleted' ? this.#removing(client) : this.#switching(client, key === 'enabled'));
        if (done === 'done') counts[key] += 1;
        else if (done === 'refused') counts.rejected += 1;
        await breathe();
      }
    }
    const { added, rejected } = await this.#add(plan);
    const error = plan.problems.length > 0 ? message('directory.problems', { problems: plan.problems }) : null;
    return { ...counts, added, rejected: counts.rejected + rejected, error };
  }

  async #add({ target, add }: DirectoryPlan): Promise<{ added: number; rejected: number }> {
    const counts = { added: 0, rejected: 0 };
    if (!target) return counts;
    for (let from = 0; from < add.length; from += CLIENTS_PER_COMMAND) {
      const drafts = add.slice(from, from + CLIENTS_PER_COMMAND).map((email) => this.#draft(target, email));
      const adding = (clients: readonly ClientDraft[]) =>
        this.#do({ type: 'AddClients', data: { inbound: target.id, clients } }, clients.length > 1);
      if (adding(drafts) === 'done') counts.added += drafts.length;
      else {
        // One client was rejected; the others are added one by one.
        for (const draft of drafts) {
          const done = adding([draft]);
          if (done === 'done') counts.added += 1;
          else if (done === 'refused') counts.rejected += 1;
        }
      }
      await breathe();
    }
    return counts;
  }

  #draft(inbound: Inbound, email: string): ClientDraft {
    const { settings, fresh, now } = this.#parts;
    const { ldapDefaultTotalGB, ldapDefaultExpiryDays, ldapDefaultLimitIP } = settings();
    const { credential, subId } = fresh(inbound);
    const spec: ClientSpec = {
      enabled: true,
      capBytes: ldapDefaultTotalGB * GB,
      expiresAt: ldapDefaultExpiryDays > 0 ? now() + ldapDefaultExpiryDays * DAY_MS : 0,
      limitIp: ldapDefaultLimitIP,
      flow: '',
      security: '',
      method: '',
      renewalDays: 0,
      reverseTag: '',
    };
    return { spec, identity: { email, subId, comment: '', tgId: 0, extra: {} }, credential };
  }

  /** The client as it is now, enabled or not; null when it is gone. */
  #switching({ number }: Client, enabled: boolean): AnyCommand | null {
    const client = this.#parts.client(number);
    if (!client) return null;
    const { inbound, spec, identity, credential } = client;
    const draft = { spec: { ...spec, enabled }, identity, credential };
    return { type: 'UpdateClient', data: { inbound, client: { email: identity.email }, draft } };
  }

  #removing({ number }: Client): AnyCommand | null {
    const client = this.#parts.client(number);
    if (!client) return null;
    return { type: 'DeleteClient', data: { inbound: client.inbound, client: { email: client.identity.email } } };
  }

  #do(command: AnyCommand | null, quiet = false): 'done' | 'refused' | 'nothing' {
    if (command === null || this.#stopped) return 'nothing';
    const done = this.#parts.dispatch(command);
    if (!(done instanceof Rejection)) return done.events.length > 0 ? 'done' : 'nothing';
    if (!quiet) this.#parts.warn('a change of the directory was rejected', { reason: done.message });
    return 'refused';
  }

  /** Recorded only when the result changed: a sync every minute must not grow the log. */
  #report(outcome: DirectoryOutcome): void {
    const { last, warn, dispatch } = this.#parts;
    if (this.#stopped) return;
    const { added, enabled, disabled, deleted: removed, rejected: refused, error } = outcome;
    const before = last() ?? NOTHING;
    if (added + enabled + disabled + removed === 0 && refused === before.rejected && sameJson(error, before.error))
      return;
    if (error !== null) warn('the sync with the directory is incomplete', { reason: render(error, 'en') });
    const done = dispatch({ type: 'RecordDirectorySync', data: outcome });
    if (done instanceof Rejection) warn('the outcome of the sync could not be recorded', { reason: done.message });
  }
}
