import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/nats-core';
import { z } from 'zod';
import type { MemberReport, MemberReports, ReportedMember } from '../../commands/ports/cluster.js';
import { textSchema } from '../../events/text.js';
import { REQUEST_MS } from './connection.js';
import { natsRequest } from './errors.js';

export const MEMBER_BUCKET = 'PORTOLAN_MEMBERS';
const STREAM = `KV_${MEMBER_BUCKET}`;

/** Members of other versions may report more. */
const Report = z.object({
  ...{ name: z.string(), instance: z.string(), home: z.string(), host: z.string(), version: z.string() },
  ...{ role: z.enum(['leader', 'follower', 'subscriptions']), state: z.enum(['running', 'stopped', 'handedOver']) },
  ...{ position: z.int(), lagMs: z.number(), since: z.number() },
  ...{ panel: z.string().nullable(), subscription: z.string().nullable() },
  acknowledged: z.object({ position: z.int(), hash: z.string() }).nullish(),
  unknownAt: z.int().nullish(),
  at: z.number().optional(),
  missingFiles: z
    .array(z.object({ file: z.string(), why: textSchema }))
    .optional()
    .catch(undefined),
});

/** The reports in a bucket with one key for each member, whose name is the key. */
export class NatsMemberReports implements MemberReports {
  readonly #bucket: KV;
  readonly #manager: JetStreamManager;

  private constructor(bucket: KV, manager: JetStreamManager) {
    this.#bucket = bucket;
    this.#manager = manager;
  }

  static async open(connection: NatsConnection): Promise<NatsMemberReports> {
    const [bucket, manager] = await Promise.all([
      natsRequest(() => new Kvm(connection).open(MEMBER_BUCKET, { timeout: REQUEST_MS, bindOnly: true })),
      jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false }),
    ]);
    return new NatsMemberReports(bucket, manager);
  }

  put(report: MemberReport, revision: number): Promise<number> {
    const body = JSON.stringify(report);
    const { name } = report;
    return natsRequest(() =>
      revision === 0 ? this.#bucket.create(name, body) : this.#bucket.update(name, body, revision),
    );
  }

  async get(name: string): Promise<ReportedMember | null> {
    return (await this.all()).find((member) => member.name === name) ?? null;
  }

  async all(): Promise<readonly ReportedMember[]> {
    // The time of the server that stamps the reports: the clocks of the members may differ.
    const info = await natsRequest(() => this.#manager.streams.info(STREAM));
    const now = 'ts' in info && typeof info.ts === 'string' ? Date.parse(info.ts) : Date.now();
    const members: ReportedMember[] = [];
    if (info.state.messages === 0) return members;
    const found = await natsRequest(() =>
      this.#manager.direct.getLastMessagesFor(STREAM, { multi_last: [`$KV.${MEMBER_BUCKET}.>`] }),
    );
    for await (const message of found) {
      const { header, seq, time } = message;
      if (header.get('KV-Operation') !== '') continue;
      const report = Report.safeParse(message.json());
      if (!report.success) continue;
      const { at } = report.data;
      const aheadMs = at === undefined ? null : at - time.getTime();
      members.push({ ...report.data, revision: seq, ageMs: Math.max(0, now - time.getTime()), aheadMs });
    }
    return members.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async remove(name: string): Promise<void> {
    await natsRequest(() => this.#bucket.purge(name));
  }
}
