import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, StateEffect } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { styleNonce } from '../../theme/nonce';
import { toastError } from '../feedback/toast';
import classes from './Code.module.css';

interface Props {
  readonly value: string;
  readonly label: string;
  /** Without it, the text can be read only. */
  readonly onChange?: (value: string) => void;
  /** Loads what this text needs more, such as completion, before the editor is made. Another function makes another editor. */
  readonly more?: () => Promise<Extension>;
}

const appearance = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)' },
  '&.cm-focused, &:focus-within': { outline: '2px solid var(--focus)' },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--muted)', borderColor: 'var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--mantine-primary-color-light)' },
  // A line, because the browser keeps a background as an inline style when a line is joined with another one while typing.
  '&.cm-focused .cm-matchingBracket, &.cm-focused .cm-nonmatchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid currentColor',
  },
  '.cm-cursor': { borderInlineStartColor: 'var(--mantine-color-text)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', borderColor: 'var(--line)', color: 'inherit' },
  // The default sign is in few fonts.
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"⋯"' },
  '.cm-panels': { backgroundColor: 'var(--page)', color: 'inherit' },
});
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--mantine-color-anchor)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

const searchable = new WeakSet<EditorView>();

/** The search is loaded at its first use. */
function openSearch(view: EditorView): boolean {
  import('@codemirror/search').then(({ openSearchPanel, search, searchKeymap }) => {
    if (!searchable.has(view))
      view.dispatch({ effects: StateEffect.appendConfig.of([search({ top: true }), keymap.of(searchKeymap)]) });
    searchable.add(view);
    openSearchPanel(view);
  }, toastError);
  return true;
}

/** An editor for JSON, always left to right. Tab moves the focus on, as everywhere on the page. */
export function Code({ value, label, onChange, more }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const isEditable = onChange !== undefined;

  // Extensions are never added later: an editor that is reconfigured while the browser has not yet reported a selection puts
  // the selection back, and what is typed next goes to another place.
  useEffect(() => {
    let isGone = false;
    place.current?.setAttribute('aria-busy', 'true');
    const make = (loaded: readonly Extension[]): void => {
      if (isGone || !place.current) return;
      place.current.removeAttribute('aria-busy');
      const extensions: readonly Extension[] = [
        lineNumbers(),
        foldGutter(),
        history(),
        bracketMatching(),
        highlightActiveLine(),
        json(),
        syntaxHighlighting(colors),
        appearance,
        EditorView.cspNonce.of(styleNonce()),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorState.readOnly.of(!isEditable),
        keymap.of([{ key: 'Mod-f', run: openSearch }, ...standardKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          if (text !== latest.current.value) latest.current.onChange?.(text);
        }),
        ...loaded,
      ];
      view.current = new EditorView({ doc: latest.current.value, extensions, parent: place.current });
    };
    const lint = isEditable ? import('./code-lint').then(({ jsonLint }) => jsonLint()) : [];
    Promise.all([lint, more?.() ?? []]).then(make, (error: unknown) => {
      toastError(error);
      make([]);
    });
    return () => {
      isGone = true;
      view.current?.destroy();
      view.current = null;
    };
  }, [label, isEditable, more]);

  // Not an effect after the frame: until then the text may have grown, and would be replaced by an older one.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={place} dir="ltr" className={classes['code']} />;
}
