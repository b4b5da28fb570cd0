// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';
// Before the router, so that its listener gets Back first.
import '../ui/feedback/pop-guard';

import { DirectionProvider, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { focusManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { HashRouter } from 'react-router';
import { me } from '../api/access';
import { ApiError, surround } from '../api/client';
import { moment } from '../api/moment';
import { addTexts, currentLanguage, directionOf, startTexts } from '../i18n/i18n';
import { Live } from '../live/live';
import { notice } from '../live/notice';
import { preloadScreen } from '../shell/Screens';
import { Shell } from '../shell/Shell';
import { renewSession } from '../shell/session';
import { styleNonce } from '../theme/nonce';
import { acceptAllDigits, blockWrongNumbers, readPastedNumbers } from '../theme/number-inputs';
import { theme } from '../theme/theme';
import { allowStylesOnly } from '../theme/trusted-types';
import { FormatProvider } from '../ui/display/format';
import { guardDownloads } from '../ui/feedback/downloads';
import { Toasts } from '../ui/feedback/Toasts';

allowStylesOnly();
acceptAllDigits();
readPastedNumbers();
blockWrongNumbers();
guardDownloads();
const nonce = styleNonce();
const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The WebSocket reports when data is stale.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => moment === null && failures < 2 && error instanceof ApiError && error.isOffline,
    },
  },
});
// An earlier moment does not change, so no query is repeated.
if (moment !== null) focusManager.setFocused(false);
const i18n = await startTexts('shell');
// All that the first view needs is requested at once, not each after the other.
preloadScreen(location.hash);
const role = client.prefetchQuery({ ...me, retry: false });
await addTexts('shell', async (language) => (await import(`../shell/texts/${language}.json`)).default);
await role;
surround({
  offlineText: () => i18n.t('error.offline', { ns: 'shell' }),
  pastText: () => i18n.t('past.refused', { ns: 'shell' }),
  renew: renewSession,
});

const live = new Live(client, notice);
live.start();

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <I18nextProvider i18n={i18n}>
        <DirectionProvider initialDirection={directionOf(currentLanguage())}>
          <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
            <QueryClientProvider client={client}>
              <FormatProvider>
                {/* A transition would draw a new address later: an input whose text is in the address loses quick typing. */}
                <HashRouter useTransitions={false}>
                  <ModalsProvider>
                    <Toasts />
                    <Shell live={live} />
                  </ModalsProvider>
                </HashRouter>
              </FormatProvider>
            </QueryClientProvider>
          </MantineProvider>
        </DirectionProvider>
      </I18nextProvider>
    </StrictMode>,
  );
