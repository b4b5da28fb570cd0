import { latinNumber } from '../model/digits';

// React replaces the property of each input; a value set by that one would hide the change from React.
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;

/** Makes every input for numbers accept Persian and Arabic digits, which it turns into those that the panel reads. */
export function acceptAllDigits(): void {
  document.addEventListener(
    'input',
    ({ target }) => {
      if (!(target instanceof HTMLInputElement) || !/^(?:numeric|decimal)$/.test(target.inputMode)) return;
      const { value, selectionStart } = target;
      const read = latinNumber(value);
      if (read === value) return;
      const caret = latinNumber(value.slice(0, selectionStart ?? value.length)).length;
      setValue?.call(target, read);
      target.setSelectionRange(caret, caret);
    },
    // Before React, whose listeners are further down.
    { capture: true },
  );
}
