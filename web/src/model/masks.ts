import { isObject, type Json, type JsonObject, valueAt, withValue } from './json';

/** The mask that a form has inputs for, by its type. It is the first one; all others are edited in the JSON tab. */
export type OwnMask = 'salamander' | 'mkcp-legacy';

/** Where the inputs of that mask write. */
export const MASK = 'streamSettings.finalmask.udp.0';

const masksOf = (target: object): readonly Json[] => {
  const masks = valueAt(target, 'streamSettings.finalmask.udp');
  return Array.isArray(masks) ? masks : [];
};
const isOf = (type: OwnMask, mask: Json | undefined): mask is JsonObject => isObject(mask) && mask['type'] === type;

/** A setting of the mask; undefined if the first mask has another type. */
export function maskSetting(target: object, type: OwnMask, name: string): Json | undefined {
  const [first] = masksOf(target);
  return isOf(type, first) ? valueAt(first, `settings.${name}`) : undefined;
}

/**
 * A copy with another setting of the mask, which is added before all others if it is not there. The core refuses a mask
 * without settings, so it goes with its last one. The other masks stay as they are.
 */
export function withMaskSetting<D extends object>(target: D, type: OwnMask, name: string, value: Json | undefined): D {
  const masks = masksOf(target);
  const [first] = masks;
  const own = withValue(isOf(type, first) ? first : { type }, `settings.${name}`, value);
  const { settings } = own as JsonObject;
  const others = isOf(type, first) ? masks.slice(1) : masks;
  const isKept = isObject(settings) && Object.keys(settings).length > 0;
  const udp = isKept ? [own, ...others] : others;
  const next = withValue(target, 'streamSettings.finalmask.udp', udp.length === 0 ? undefined : udp);
  const rest = valueAt(next, 'streamSettings.finalmask');
  const isEmpty = isObject(rest) && Object.keys(rest).length === 0;
  return isEmpty ? withValue(next, 'streamSettings.finalmask', undefined) : next;
}
