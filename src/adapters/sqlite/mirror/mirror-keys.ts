import { random } from '../../../lib/random.js';
import { boxContext, type EventRow, idText, openBox, type SealedFields, storedData } from '../codec.js';
import { derivedKey, type Keyring, seal } from '../keyring.js';
import type { ReducedBox } from './reduced-boxes.js';

/** Data keys that links need as they are: of the name and the credential of a client. */
const GIVEN = /^client:\d+\/\d+$/;
/** Keys of the configuration of an inbound, of which links need a part. */
const REDUCED = /^inbound:\d+\/config\/\d+$/;
const KEY_BYTES = 32;

/** What a mirror gets of a data key. `reduced`: another key, for boxes with the part that links need. */
export type MirrorUse = 'given' | 'reduced' | 'withheld';

export function mirrorUse(id: string): MirrorUse {
  if (GIVEN.test(id)) return 'given';
  return REDUCED.test(id) ? 'reduced' : 'withheld';
}

/**
 * The key of a mirror, which takes the place of the master key there. Every leader can derive it. `fingerprint`: of the public
 * key with which the mirror joined, so each approval gives another key.
 */
export const mirrorKey = (master: Buffer, fingerprint: string): Buffer =>
  derivedKey(master, `subscription mirror ${fingerprint}`);

/** Removes from the value of a sealed field what links do not need. */
export type Reduce = (field: string, value: unknown) => unknown;

interface Forwarding {
  readonly keyring: Keyring;
  /** The key of the mirror. */
  readonly key: Buffer;
  readonly reduce: Reduce;
}

/** A data key that a mirror gets as it is, sealed for it; null = it was destroyed. */
export function givenKey(id: string, { keyring, key }: Omit<Forwarding, 'reduce'>): Buffer | null {
  const opened = keyring.forOpening(id);
  return opened && seal(key, opened, id);
}

/** A reduced box, and its new data key, sealed for the mirror. */
interface Forwarded {
  readonly reduced: ReducedBox;
  readonly wrapped: Buffer;
}

/** The reduced boxes of an event with their keys; none for boxes whose key was destroyed. */
export function reducedOf(row: EventRow, { keyring, key, reduce }: Forwarding): readonly Forwarded[] {
  const { $sealed: sealed = [] } = (storedData(row) ?? {}) as { $sealed?: SealedFields };
  const event = idText(row.id);
  return sealed
    .filter((box) => mirrorUse(box.key) === 'reduced')
    .flatMap((stored) => {
      const context = boxContext(event, row.type, stored.fields);
      const values = openBox(keyring, stored, context) as unknown[] | undefined;
      if (values === undefined) return [];
      const less = stored.fields.map((field, i) => reduce(field, values[i]));
      const own = random(KEY_BYTES);
      const box = seal(own, Buffer.from(JSON.stringify(less)), context).toString('base64');
      return [{ reduced: { event, key: stored.key, box }, wrapped: seal(key, own, stored.key) }];
    });
}
