import { codeOf, isText, type MessageCode, type Text } from '../../messages/message.js';
import { render } from '../../messages/render.js';
import { escaped } from '../escaped.js';

interface Output {
  /** For programs: one JSON object in English on a line. */
  readonly json: boolean;
  /** Renders a text in the language of the operator. */
  readonly say: (text: Text) => string;
  /** Printed too, if given. */
  readonly stack?: string | undefined;
}

/** Prints an error or a warning on standard error: a JSON object for programs, or a line for people. */
export function printProblem(kind: 'error' | 'warning', text: Text, { json, say, stack }: Output): void {
  const line = json
    ? JSON.stringify({ [kind]: render(text, 'en'), code: causeCode(text), stack })
    : `portolan: ${visible(say(text))}${stack === undefined ? '' : `\n${stack}`}`;
  process.stderr.write(`${line}\n`);
}

/** Messages that only name the file, the field or the variable that another text is about. */
const LABELS: ReadonlySet<MessageCode> = new Set<MessageCode>([
  'cli.fileProblem',
  'cli.operationInvalid',
  'start.fileInvalid',
]);

/** The code of a text; for a text that only labels another one, the code of that one if it has one. */
function causeCode(text: Text): MessageCode | null {
  const code = codeOf(text);
  if (code === null || !LABELS.has(code) || !('params' in text)) return code;
  const cause = Object.values(text.params).find(isText);
  return codeOf(cause) ?? code;
}

/**
 * Escapes control characters (except line ends and tabs), which a terminal would execute, and invisible or direction
 * characters as in JSON. The joiners stay, which Persian words and emoji are made with.
 */
export function visible(text: string): string {
  return escaped(text, /[^\P{Cc}\n\t]|(?![\u200c\u200d])[\p{Cf}\u2028\u2029]/gu);
}
