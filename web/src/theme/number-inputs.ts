import { latinNumber, pastedNumber } from '../model/digits';

// React replaces the property of each input; a value set by that one would hide the change from React.
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;

// Before React, whose listeners are further down.
const FIRST = { capture: true };

function numberInput(target: EventTarget | null): HTMLInputElement | null {
  return target instanceof HTMLInputElement && /^(?:numeric|decimal)$/.test(target.inputMode) ? target : null;
}

/** Makes every input for numbers accept Persian and Arabic digits, which it turns into those that the panel reads. */
export function acceptAllDigits(): void {
  document.addEventListener(
    'input',
    ({ target }) => {
      const input = numberInput(target);
      if (!input) return;
      const { value, selectionStart } = input;
      const read = latinNumber(value);
      if (read === value) return;
      const caret = latinNumber(value.slice(0, selectionStart ?? value.length)).length;
      setValue?.call(input, read);
      input.setSelectionRange(caret, caret);
    },
    FIRST,
  );
}

/** Makes every input for numbers read what is pasted as a person does: `1,000` as a thousand, `1,5` as one and a half. */
export function readPastedNumbers(): void {
  document.addEventListener(
    'paste',
    (event) => {
      const input = numberInput(event.target);
      const text = event.clipboardData?.getData('text');
      if (!input || input.readOnly || !text) return;
      event.preventDefault();
      event.stopPropagation();
      const start = input.selectionStart ?? input.value.length;
      input.setRangeText(pastedNumber(text, document.documentElement.lang), start, input.selectionEnd ?? start, 'end');
      input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
    },
    FIRST,
  );
}

/** Sends no form that has a number with an error (`NumberField`), and shows the number. */
export function blockWrongNumbers(): void {
  document.addEventListener(
    'submit',
    (event) => {
      const wrong = event.target instanceof HTMLFormElement && event.target.querySelector('input:invalid');
      if (!(wrong instanceof HTMLInputElement) || !wrong.validity.customError) return;
      event.preventDefault();
      event.stopPropagation();
      wrong.focus();
    },
    FIRST,
  );
}
