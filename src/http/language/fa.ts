import type { Catalogue } from './catalogue.js';

/** Persian. */
export const fa: Catalogue = {
  sentences: {
    'the name has no address': 'این نام نشانی ندارد',
    'Invalid input: expected {expected}, received {received}':
      'مقدار نامعتبر: باید {expected} باشد، {received} دریافت شد',
    'Invalid input': 'مقدار نامعتبر',
    '{what}: {why}': '{what}: {why}',
  },
};
