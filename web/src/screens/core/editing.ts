import { autocompletion, type CompletionContext, type CompletionResult, closeBrackets } from '@codemirror/autocomplete';
import { jsonParseLinter } from '@codemirror/lang-json';
import { linter, lintGutter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { KEYWORDS } from './keywords';

/** Names of the core's configuration, offered inside quotes. */
function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/"[\w-]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  return { from: word.from + 1, options: KEYWORDS.map((label) => ({ label, type: 'property' })) };
}

/** What only an editable text needs: completion and lint. */
export const editing = (): Extension => [
  linter(jsonParseLinter()),
  lintGutter(),
  closeBrackets(),
  autocompletion({ override: [complete] }),
];
