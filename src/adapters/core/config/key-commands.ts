import { z } from 'zod';
import { CoreError } from '../../../commands/ports/core.js';
import type { CoreKeys, VlessAuthentication } from '../../../commands/ports/keys.js';
import { message } from '../../../messages/message.js';
import { x25519 } from './keys.js';

/** Runs the executable with these arguments and resolves to what it printed; rejects with `CoreError`. */
type Ask = (args: readonly string[]) => Promise<string>;

/** base64 and base64url. */
const KEY = '([\\w+/=-]+)';

/**
 * The key commands of the executable. Values are found by their labels, not by line: releases have changed the order and
 * the text around them.
 */
export function keyCommands(ask: Ask): CoreKeys {
  return {
    x25519,
    mldsa65: async () => {
      const output = await ask(['mldsa65']);
      return { seed: labelled(output, 'Seed'), verify: labelled(output, 'Verify') };
    },
    mlkem768: async () => {
      const output = await ask(['mlkem768']);
      return { seed: labelled(output, 'Seed'), client: labelled(output, 'Client') };
    },
    vlessEncryption: async () => {
      const found = authentications(await ask(['vlessenc']));
      return found.length > 0 ? found : unreadable('Authentication');
    },
    selfSigned: async (serverName) => {
      const output = await ask(['tls', 'cert', `--domain=${serverName}`, `--name=${serverName}`, '--expire=87600h']);
      return certificateIn(output);
    },
    ech: async (serverName) => {
      // One argument, so that a name cannot be read as an option.
      const output = await ask(['tls', 'ech', `--serverName=${serverName}`]);
      return { serverKeys: labelled(output, 'ECH server keys'), configList: labelled(output, 'ECH config list') };
    },
  };
}

/** The value after `label:`, on the same line or on the next. */
function labelled(output: string, label: string): string {
  return new RegExp(`^\\s*${label}[^:\\n]*:\\s*${KEY}\\s*$`, 'im').exec(output)?.[1] ?? unreadable(label);
}

function authentications(output: string): readonly VlessAuthentication[] {
  return output
    .split(/^\s*Authentication:/im)
    .slice(1)
    .map((block) => ({
      label: block.split('\n')[0]?.trim() ?? '',
      decryption: member(block, 'decryption'),
      encryption: member(block, 'encryption'),
    }));
}

function member(block: string, name: string): string {
  return new RegExp(`"${name}"\\s*:\\s*"([\\w.+/=-]+)"`).exec(block)?.[1] ?? unreadable(name);
}

const Pair = z.object({ certificate: z.array(z.string()).min(1), key: z.array(z.string()).min(1) });

function certificateIn(output: string): z.output<typeof Pair> {
  const [text = ''] = /\{[\s\S]*\}/.exec(output) ?? [];
  try {
    const { certificate, key } = Pair.parse(JSON.parse(text));
    // The core labels a PKCS #8 key as RSA, which other programs do not read.
    return { certificate, key: key.map((line) => line.replace('RSA PRIVATE KEY', 'PRIVATE KEY')) };
  } catch {
    return unreadable('certificate');
  }
}

/** The output contains keys, so it is not part of the error. */
function unreadable(label: string): never {
  throw new CoreError('refused', message('core.valueNotPrinted', { label }));
}
