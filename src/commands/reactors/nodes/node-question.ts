import type { Node } from '../../../events/node/node-document.js';
import { type NodeAddress, NodeError, type NodeReading, type Nodes } from '../../ports/nodes.js';

/** What one question to a panel found. */
export interface NodeAnswer extends Omit<NodeReading, 'kind' | 'panelId'> {
  readonly status: 'online' | 'offline';
  /** For people; empty while all is well. */
  readonly error: string;
}

export interface Outcome {
  readonly answer: NodeAnswer;
  readonly reading: NodeReading | null;
  /** No mishap: asking again would be answered alike. */
  readonly final: boolean;
}

export const SELF = 'answers as this panel itself';
export const ANOTHER = 'answers as another panel: save the node again with its token if that is meant';

/** The load of a node of which none is known. */
export const NOTHING = { latencyMs: 0, coreVersion: '', cpu: 0, mem: 0, uptimeSecs: 0 } as const;

interface Expected {
  /** What the panel said at first that it is; null = it is asked first now. */
  readonly known: Node['identity'];
  readonly ownId: string;
  /** Another node that is the panel which answers. */
  readonly twin: Node | undefined;
}

interface Asking extends Omit<Expected, 'twin'> {
  readonly twin: (panelId: string) => Node | undefined;
  readonly warn: (message: string, fields?: object) => void;
}

/** Asks a panel how it is, and whether it is the one that is meant. Never rejects. */
export async function askedHow(
  nodes: Nodes,
  address: NodeAddress,
  { known, ownId, twin, warn }: Asking,
): Promise<Outcome> {
  try {
    const reading = await nodes.probe(address);
    const { kind, panelId, ...values } = reading;
    const flaw = identityFlaw({ kind, panelId }, { known, ownId, twin: twin(panelId) });
    return flaw === null
      ? { answer: { status: 'online', ...values, error: '' }, reading, final: false }
      : offline(flaw, true);
  } catch (error) {
    if (error instanceof NodeError) return offline(error.message, isFinal(error));
    warn('a node could not be asked', { err: error });
    return offline('the node could not be asked', false);
  }
}

export function offline(error: string, final: boolean): Outcome {
  return { answer: { status: 'offline', ...NOTHING, error }, reading: null, final };
}

/** What a panel with this lasting name is; without one it is of 3x-ui. */
export function identityOf(panelId: string): NonNullable<Node['identity']> {
  return { kind: panelId === '' ? '3x-ui' : 'portolan', panelId };
}

/** Why a panel that answers is not the one that is meant, or null. */
export function identityFlaw(said: NonNullable<Node['identity']>, { known, ownId, twin }: Expected): string | null {
  if (said.panelId !== '' && said.panelId === ownId) return SELF;
  if (twin) return `is the same panel as node ${twin.name}`;
  return known === null || (known.kind === said.kind && known.panelId === said.panelId) ? null : ANOTHER;
}

function isFinal(error: NodeError): boolean {
  if (error.kind === 'status') return [401, 403, 404].includes(error.status);
  return error.kind === 'refused' || error.kind === 'certificate';
}
