import type { Catalogue } from './catalogue.js';

/** Russian. */
export const ru: Catalogue = {
  sentences: {
    'the name has no address': 'у этого имени нет адреса',
    'Invalid input: expected {expected}, received {received}':
      'Неверное значение: ожидалось {expected}, получено {received}',
    'Invalid input': 'Неверное значение',
    '{what}: {why}': '{what}: {why}',
  },
};
