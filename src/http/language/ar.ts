import type { Catalogue } from './catalogue.js';

/** Arabic. */
export const ar: Catalogue = {
  sentences: {
    'the name has no address': 'ليس لهذا الاسم عنوان',
    'Invalid input: expected {expected}, received {received}': 'قيمة غير صالحة: المتوقع {expected} والوارد {received}',
    'Invalid input': 'قيمة غير صالحة',
    '{what}: {why}': '{what}: {why}',
  },
};
