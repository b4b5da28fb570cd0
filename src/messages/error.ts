import { type Text, verbatim } from './message.js';
import { render } from './render.js';

/** An error for a person: it carries a text, and its `message` is the English of it, for logs. */
export class MessageError extends Error {
  override readonly name: string = 'MessageError';
  readonly text: Text;

  constructor(text: Text, options?: ErrorOptions) {
    super(render(text, 'en'), options);
    this.text = text;
  }
}

/** The text of an error: its own message, or verbatim that of another program. */
export function textOf(error: unknown): Text {
  if (error instanceof MessageError) return error.text;
  return verbatim(error instanceof Error ? error.message : String(error));
}
