import type { AnyCommand } from '../../../../commands/catalog.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { NodeId, UserId } from '../../../../events/ids.js';
import { textOf } from '../../../../lib/json.js';
import { message, type Text } from '../../../../messages/message.js';
import { inboundDraft } from '../../codec/inbound.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { inboundFormRoutes } from '../../contract/inbounds/form.js';
import { WireInbound } from '../../contract/schemas/inbound.js';
import { type Handlers, problemsOf } from '../../mount.js';
import { Message } from '../../outcomes.js';
import { externalProblem } from './checks.js';

type Services = Needs<'read' | 'core' | 'coreSettled' | 'portProblem' | 'pairProblem'>;
type Add = Extract<AnyCommand, { type: 'AddInbound' }>;

/** One inbound of an import. */
interface Item {
  readonly shown: {
    readonly remark: string;
    readonly protocol: string;
    readonly port: number;
    readonly clients: number;
  };
  /** The command that adds it, or why it cannot be added. */
  readonly outcome: Add | Rejection;
}

/** Adds inbounds in one command. If one of them cannot be added, none is, and each problem is named with its inbound. */
export const inboundImport: Pick<Handlers<typeof inboundFormRoutes, Services>, 'importAll'> = {
  async importAll({ body: { inbounds, preview } }, services, request) {
    const items = await checked(services, request, itemsOf(services, request, inbounds));
    const rows = items.map(({ shown, outcome }) => ({
      ...shown,
      problem: outcome instanceof Rejection ? request.say(outcome.text) : '',
    }));
    if (preview === true) return { added: [], position: 0, inbounds: rows };
    const problems = items.flatMap(({ shown, outcome }) =>
      outcome instanceof Rejection ? problemOf(shown, outcome) : [],
    );
    if (problems.length > 0) return reject('INBOUNDS_REFUSED', { problems });
    const done = await request.change(() => sequence(items));
    if (done instanceof Rejection) return done;
    const added = done.events.flatMap((event) => (event.type === 'InboundAdded' ? [event.data.inbound] : []));
    const position = done.events[0]?.position ?? 0;
    return new Message(message('inbound.imported', { inbounds: added.length }), { added, position, inbounds: rows });
  },
};

const portOf = (value: unknown): number => (Number.isSafeInteger(Number(value)) ? Number(value) : 0);

const problemOf = ({ remark, port }: Item['shown'], { text }: Rejection): Text =>
  message('inbound.importProblem', { inbound: remark || String(port), why: text });

const sequence = (items: readonly Item[]): AnyCommand & { readonly type: 'Sequence' } => ({
  type: 'Sequence',
  data: { commands: items.flatMap(({ outcome }) => (outcome instanceof Rejection ? [] : [outcome])) },
});

/** The inbounds as commands. One keeps its tag unless another inbound has it, here or in the import. */
function itemsOf(
  { read }: Services,
  { userId }: HttpRequest,
  inbounds: readonly Readonly<Record<string, unknown>>[],
): readonly Item[] {
  const tags = new Set(read.inbounds.all().map(({ tag }) => tag));
  return inbounds.map((fields) => {
    const shown = {
      ...{ remark: textOf(fields['remark']), protocol: textOf(fields['protocol']) },
      port: portOf(fields['port']),
    };
    const wire = WireInbound.safeParse(fields, { reportInput: true });
    if (!wire.success) {
      const outcome = reject('INPUT_INVALID', { problems: problemsOf(wire.error) });
      return { shown: { ...shown, clients: 0 }, outcome };
    }
    const { data } = wire;
    const isTaken = data.tag !== undefined && tags.has(data.tag);
    const draft = inboundDraft(isTaken ? { ...data, tag: '' } : data);
    if (draft instanceof Rejection) return { shown: { ...shown, clients: 0 }, outcome: draft };
    tags.add(draft.spec.tag);
    const node = data.nodeId ? (data.nodeId as NodeId) : undefined;
    return {
      shown: { ...shown, port: draft.spec.port, clients: draft.clients.length },
      outcome: { type: 'AddInbound', data: { ...draft, owner: userId as UserId, node } },
    };
  });
}

/** The same, with what the panel, the machine and the core say against each inbound after those before it. */
async function checked(services: Services, request: HttpRequest, items: readonly Item[]): Promise<readonly Item[]> {
  const done: Item[] = [];
  // One decision if the panel would accept all of them.
  const isAccepted = request.refusalOf(sequence(items)) === null;
  for (const item of items) {
    const { outcome } = item;
    if (outcome instanceof Rejection) {
      done.push(item);
      continue;
    }
    const place = { node: outcome.data.node ?? null, askedAt: request.wants.askedAt };
    const problem =
      (isAccepted ? null : request.refusalOf(sequence([...done, item]))) ??
      (await externalProblem(services, outcome.data, place));
    done.push(problem instanceof Rejection ? { ...item, outcome: problem } : item);
  }
  return done;
}
