import { withValue } from '../../../model/json';
import { withMaskSetting } from '../../../model/masks';
import type { Field } from '../fields';
import type { Draft } from './draft';
import { ownMaskOf, type Shown, settingOfMask, stored, valueOf } from './values';

/** The draft after an input of the form; the same draft if the input shows what is stored. */
export function edited(draft: Draft, field: Field, input: Shown): Draft {
  const before = valueOf(draft, field);
  const value = stored(field, input, before);
  if (value === before) return draft;
  const setting = settingOfMask(field);
  if (setting !== null) return withMaskSetting(draft, ownMaskOf(draft), setting, value);
  return withSideEffects(withValue(draft, field.path, value), field.path);
}

/** What goes with an input; another protocol or transport is in `aside.ts`. */
function withSideEffects(draft: Draft, path: string): Draft {
  if (path === 'streamSettings.tlsSettings.certificates.0.certificateFile') return withoutText(draft);
  return draft;
}

/** The core takes a certificate from files or from the configuration, not from both. */
function withoutText(draft: Draft): Draft {
  const place = 'streamSettings.tlsSettings.certificates.0';
  return withValue(withValue(draft, `${place}.certificate`, undefined), `${place}.key`, undefined);
}
