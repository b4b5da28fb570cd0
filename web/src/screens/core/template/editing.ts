import { autocompletion, type CompletionContext, type CompletionResult, closeBrackets } from '@codemirror/autocomplete';
import { type Diagnostic, linter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import i18next from 'i18next';
import { hintsOf, proposalAt } from './hints';

/** Names and values of the core's configuration, offered inside quotes for the place where they stand. */
function complete({ state, pos }: CompletionContext): CompletionResult | null {
  const proposal = proposalAt(state.doc.toString(), pos);
  if (!proposal) return null;
  const { from, kind, options, isOpen } = proposal;
  const type = kind === 'name' ? 'property' : 'constant';
  return {
    from,
    options: options.map((label) => ({ label, type, apply: isOpen ? `${label}"` : label })),
    validFor: /^[\w-]*$/,
  };
}

function hint({ state }: EditorView): readonly Diagnostic[] {
  return hintsOf(state.doc.toString()).map(({ from, to, written, meant }) => ({
    from,
    to,
    severity: 'warning',
    message:
      meant === ''
        ? i18next.t('hint.unknownTag', { ns: 'core', written })
        : i18next.t('hint.meant', { ns: 'core', written, meant }),
  }));
}

/** What helps to write the configuration of the core: completion, hints, and brackets that close themselves. */
export const editing = (): Extension => [linter(hint), closeBrackets(), autocompletion({ override: [complete] })];
