import { isObject, valueAt, withValue } from '../../../model/json';
import type { Field } from '../fields';
import type { Draft } from './draft';
import { type Shown, stored } from './values';

const MASK = 'streamSettings.finalmask.udp.0';

/** The draft after an input of the form; the same draft if the input shows what is stored. */
export function edited(draft: Draft, field: Field, input: Shown): Draft {
  const before = valueAt(draft, field.path);
  const value = stored(field, input, before);
  return value === before ? draft : withSideEffects(withValue(draft, field.path, value), field.path);
}

/** What goes with an input; another protocol or transport is in `aside.ts`. */
function withSideEffects(draft: Draft, path: string): Draft {
  if (path.startsWith(`${MASK}.settings.`)) return withMask(draft);
  if (path === 'streamSettings.tlsSettings.certificates.0.certificateFile') return withoutText(draft);
  return draft;
}

/** The core wants to know the kind of a mask, and none that is empty. */
function withMask(draft: Draft): Draft {
  const settings = valueAt(draft, `${MASK}.settings`);
  if (!isObject(settings) || Object.keys(settings).length === 0) {
    const others = valueAt(draft, 'streamSettings.finalmask.quicParams');
    return withValue(draft, 'streamSettings.finalmask', others === undefined ? undefined : { quicParams: others });
  }
  const isHysteria = draft.protocol.startsWith('hysteria');
  return withValue(draft, `${MASK}.type`, isHysteria ? 'salamander' : 'mkcp-legacy');
}

/** The core takes a certificate from files or from the configuration, not from both. */
function withoutText(draft: Draft): Draft {
  const place = 'streamSettings.tlsSettings.certificates.0';
  return withValue(withValue(draft, `${place}.certificate`, undefined), `${place}.key`, undefined);
}
