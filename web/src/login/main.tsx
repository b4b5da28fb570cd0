// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { DirectionProvider, MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { surround } from '../api/client';
import { addTexts, currentLanguage, directionOf, startTexts } from '../i18n/i18n';
import { styleNonce } from '../theme/nonce';
import { acceptAllDigits } from '../theme/number-inputs';
import { theme } from '../theme/theme';
import { allowStylesOnly } from '../theme/trusted-types';
import { Login } from './Login';

allowStylesOnly();
acceptAllDigits();
const nonce = styleNonce();
const i18n = await startTexts('login');
await addTexts('login', async (language) => (await import(`./texts/${language}.json`)).default);
surround({ offlineText: () => i18n.t('offline', { ns: 'login' }) });

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <I18nextProvider i18n={i18n}>
        <DirectionProvider initialDirection={directionOf(currentLanguage())}>
          <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
            <Login />
          </MantineProvider>
        </DirectionProvider>
      </I18nextProvider>
    </StrictMode>,
  );
