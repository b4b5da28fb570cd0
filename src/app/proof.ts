import { createHeadSinks } from '../adapters/proof/head-sinks.js';
import { Words } from '../chat-bot/words.js';
import { asSystem } from '../commands/bus.js';
import { ChatError } from '../commands/ports/chat-bot.js';
import { SinkError } from '../commands/ports/head-sinks.js';
import type { Web } from '../commands/ports/web.js';
import type { Messenger } from '../commands/reactors/backup/backup-delivery.js';
import { HeadPublisher } from '../commands/reactors/proof/head-publisher.js';
import type { SignedHead } from '../lib/proof/signed-head.js';
import { inSlices } from '../lib/time/slices.js';
import { message } from '../messages/message.js';
import type { ProvenLog } from '../projections/proof-of-log.js';
import type { Panel } from './panel.js';

interface Parts {
  readonly web: Web;
  /** The state of the chat bot. */
  readonly messenger: () => Messenger;
  /** Whether the cluster has confirmed what was appended; without a cluster, at once. */
  readonly confirmed: () => Promise<boolean>;
  readonly warn: (message: string, fields?: object) => void;
}

type ProvenPanel = Pick<Panel, 'read' | 'log' | 'dispatch' | 'now' | 'directory'>;

/** The signed heads of a panel. Between `begin` and `stop` of the publisher they go to the places in the settings. */
export function createProof(
  { read, log, dispatch, now, directory }: ProvenPanel,
  { web, messenger, confirmed, warn }: Parts,
) {
  const chat = (head: SignedHead): Promise<void> => sendToChats(head, messenger(), new Words(read.settings.current()));
  const publisher = new HeadPublisher({
    log,
    panelId: () => read.identity.panelId,
    proofs: () => read.records.proofs(),
    settings: () => read.settings.current(),
    token: () => read.settings.secrets().proofPanelToken,
    changed$: read.changed$,
    sinks: createHeadSinks({ web, dataDir: directory.root, chat }),
    dispatch: (command) => dispatch(command, asSystem('proof')),
    ...{ confirmed, now, warn },
  });
  const provenLog: ProvenLog = log;
  return { publisher, provenLog, growTree: (signal: AbortSignal) => inSlices(log.stored.tree.grow(), signal) };
}

/** Sends a head to every chat of an admin. Rejects with `SinkError` when one of them does not get it. */
async function sendToChats(head: SignedHead, { connection, chats }: Messenger, words: Words): Promise<void> {
  if (connection === null || chats.length === 0) throw new SinkError(message('proof.chatOff'));
  const title = words.text(message('proof.headMessage', { position: head.position })).html;
  try {
    // Base64 and hexadecimal digits contain nothing that HTML would read as a tag.
    for (const chat of chats) await connection.send(chat, `${title}\n<code>${JSON.stringify(head)}</code>`, []);
  } catch (error) {
    throw error instanceof ChatError ? new SinkError(error.text, { cause: error }) : error;
  }
}
