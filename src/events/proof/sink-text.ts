import { message, type Text } from '../../messages/message.js';
import type { SinkName } from './proof.js';

const TEXTS: Readonly<Record<SinkName, Text>> = {
  webhook: message('proof.sinkWebhook'),
  chat: message('proof.sinkChat'),
  file: message('proof.sinkFile'),
  git: message('proof.sinkGit'),
  panel: message('proof.sinkPanel'),
};

/** The name of a place where heads are published. */
export const sinkText = (sink: SinkName): Text => TEXTS[sink];
