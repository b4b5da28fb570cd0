import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';
import type { ScreenDefinition } from '../screen';
import type en from './texts/en.json';

declare module '../../i18n/texts' {
  interface Texts {
    webhooks: typeof en;
  }
}

export const screen: ScreenDefinition = {
  id: 'webhooks',
  icon: IconWebhook,
  group: 'system',
  key: 'h',
  route: '/panel/api/webhooks/list',
  texts: async (language) => (await import(`./texts/${language}.json`)).default,
  load: async () => (await import('./Webhooks')).Webhooks,
};
