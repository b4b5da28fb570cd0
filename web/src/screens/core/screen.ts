import IconCpu from '@tabler/icons-react/dist/esm/icons/IconCpu.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    core: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'core',
  icon: IconCpu,
  group: 'system',
  key: 'x',
  route: '/panel/core/',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Core')).Core,
};
