import IconServer2 from '@tabler/icons-react/dist/esm/icons/IconServer2.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    nodes: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'nodes',
  icon: IconServer2,
  group: 'traffic',
  key: 'n',
  route: '/panel/api/nodes/list',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Nodes')).Nodes,
};
