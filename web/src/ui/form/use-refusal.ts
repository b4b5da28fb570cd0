import type { UseFormReturnType } from '@mantine/form';
import { useCallback, useState } from 'react';
import { ApiError } from '../../api/client';
import { sentenceOf } from '../feedback/toast';

/** The field of a form that a refusal is about, with another sentence than that of the panel if the form has a better one. */
export interface RefusedField<V> {
  readonly field: keyof V & string;
  readonly text?: string;
}
export type FieldOf<V> = (error: ApiError) => RefusedField<V> | null;

/**
 * Why the panel refused a form: at the field that it is about, or else as `text` for the top of the form (`Refusal`). Both
 * get the focus and are scrolled into view: the button that sends the form is disabled meanwhile and loses the focus.
 */
export function useRefusal<V>(form: UseFormReturnType<V>, fieldOf?: FieldOf<V>) {
  const [text, setText] = useState('');
  const clear = useCallback(() => setText(''), []);
  const refuse = (error: unknown): void => {
    const refused = error instanceof ApiError ? (fieldOf?.(error) ?? null) : null;
    const node = refused && form.getInputNode(refused.field);
    if (!refused || !node) return setText(sentenceOf(error));
    form.setFieldError(refused.field, refused.text ?? sentenceOf(error));
    focusField(node);
  };
  /** For the second argument of `form.onSubmit`. */
  const focusWrong = (errors: Readonly<Record<string, unknown>>): void => {
    const [first] = Object.keys(errors)
      .map((field) => form.getInputNode(field))
      .filter((node) => node !== null)
      .sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    if (first) focusField(first);
  };
  return { text, clear, refuse, focusWrong };
}

/** In the middle of the view: what is fixed at its top and its bottom covers neither the field nor its error. */
function focusField(node: HTMLElement): void {
  node.focus({ preventScroll: true });
  const whole = node.closest('.mantine-InputWrapper-root, .mantine-Switch-root') ?? node;
  // With the error, which is drawn in the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => whole.scrollIntoView({ block: 'center' })));
}

/** The first of these members that the panel names before a colon, as in `email: may have at most 256 characters`. */
export function memberIn<K extends string>({ code, message }: ApiError, members: readonly K[]): K | null {
  if (code !== 'INPUT_INVALID') return null;
  const named = [...message.matchAll(/([A-Za-z]\w*)\u2069?:/g)].map(([, name]) => name);
  return members.find((member) => named.includes(member)) ?? null;
}
