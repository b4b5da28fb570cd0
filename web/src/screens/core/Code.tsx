import { autocompletion, type CompletionContext, type CompletionResult, closeBrackets } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../../theme/nonce';
import classes from './Core.module.css';
import { KEYWORDS } from './keywords';

interface Props {
  readonly value: string;
  readonly label: string;
  /** Without it, the text can be read only. */
  readonly onChange?: (value: string) => void;
  /** With it, the differences to this text are shown. */
  readonly original?: string;
}

const appearance = EditorView.theme({
  '&': { height: 'min(60vh, 40rem)', fontSize: '13px', backgroundColor: 'var(--surface)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--muted)', borderColor: 'var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--mantine-primary-color-light)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--mantine-color-text)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', borderColor: 'var(--line)', color: 'inherit' },
  '.cm-panels': { backgroundColor: 'var(--page)', color: 'inherit' },
});
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--mantine-color-anchor)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

/** Names of the core's configuration, offered inside quotes. */
function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/"[\w-]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  return { from: word.from + 1, options: KEYWORDS.map((label) => ({ label, type: 'property' })) };
}

/** An editor for JSON, always left to right. Tab moves the focus on, as everywhere on the page. */
export function Code({ value, label, onChange, original }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const isEditable = onChange !== undefined;

  useEffect(() => {
    if (!place.current) return undefined;
    const extensions: Extension[] = [
      lineNumbers(),
      foldGutter(),
      history(),
      drawSelection(),
      bracketMatching(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      json(),
      syntaxHighlighting(colors),
      appearance,
      EditorView.cspNonce.of(styleNonce()),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorState.readOnly.of(!isEditable),
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        const text = update.state.doc.toString();
        if (text !== latest.current.value) latest.current.onChange?.(text);
      }),
    ];
    if (isEditable)
      extensions.push(
        linter(jsonParseLinter()),
        lintGutter(),
        closeBrackets(),
        autocompletion({ override: [complete] }),
      );
    if (original !== undefined)
      extensions.push(unifiedMergeView({ original, mergeControls: false, collapseUnchanged: { margin: 3 } }));
    const made = new EditorView({ doc: latest.current.value, extensions, parent: place.current });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label, isEditable, original]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={place} dir="ltr" className={classes['code']} />;
}
