import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    overview: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'overview',
  icon: IconLayoutDashboard,
  group: 'traffic',
  key: 'o',
  route: '/panel/api/server/status',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Overview')).Overview,
};
