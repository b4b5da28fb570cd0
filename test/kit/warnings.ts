import { onTestFinished } from 'vitest';
import { showWarnings } from '../../src/lib/errors/operator-warning.js';
import type { Text } from '../../src/messages/message.js';

/** The warnings to the operator from now on, until the test ends. */
export function operatorWarnings(): readonly Text[] {
  const texts: Text[] = [];
  onTestFinished(showWarnings((text) => texts.push(text)));
  return texts;
}
