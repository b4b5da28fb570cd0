import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';

/** A problem that does not stop the work. */
class OperatorWarning extends MessageError {
  override readonly name = 'OperatorWarning';
}

/** Warns the operator, as `showWarnings` of this process decides. Without it, Node prints the English text. */
export function warnOperator(text: Text): void {
  // `emitWarning` waits for the next turn of the loop, and a command may have ended by then.
  process.emit('warning', new OperatorWarning(text));
}

/** Shows the warnings of this process with `show`. Other warnings are still printed by Node. Returns what ends it. */
export function showWarnings(show: (text: Text) => void): () => void {
  const others = process.listeners('warning');
  const shown = (warning: Error): void => {
    if (warning instanceof OperatorWarning) show(warning.text);
    else for (const other of others) other(warning);
  };
  process.removeAllListeners('warning').on('warning', shown);
  return () => {
    process.off('warning', shown);
    for (const other of others) process.on('warning', other);
  };
}
