import { useMantineColorScheme } from '@mantine/core';
import type { SpotlightActionData } from '@mantine/spotlight';
import IconDensity from '@tabler/icons-react/dist/esm/icons/IconBaselineDensityMedium.mjs';
import IconContrast from '@tabler/icons-react/dist/esm/icons/IconContrast.mjs';
import IconCompare from '@tabler/icons-react/dist/esm/icons/IconGitCompare.mjs';
import IconKeyboard from '@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs';
import IconLogout from '@tabler/icons-react/dist/esm/icons/IconLogout.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import IconScale from '@tabler/icons-react/dist/esm/icons/IconScale.mjs';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { type GuardedPath, useMay } from '../api/access';
import { api } from '../api/client';
import { onlines } from '../api/queries';
import type { ScreenId } from '../screens/screen';
import { useAction } from '../ui/feedback/action';
import { confirmLoss } from '../ui/feedback/confirm';
import { useAllowedScreens } from './allowed-screens';
import { logOut } from './log-out';
import { usePreferences } from './preferences';

/** What the palette can do. `wanted`: what is typed, in lower case. */
export function usePaletteActions(wanted: string, onHelp: () => void): SpotlightActionData[] {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [{ density }, setPreferences] = usePreferences();
  const may = useMay();
  const screens = useAllowedScreens();
  const { data: connected } = useQuery({ ...onlines, enabled: may('/panel/api/clients/page'), refetchInterval: false });
  const restarting = useAction({
    stale: [['status'], ['core'], ['onlines']],
    run: () => api.post('/panel/api/server/restartCoreService'),
    said: () => t('action.restartCore.done'),
  });
  const restart = (): void =>
    confirmLoss({
      title: t('action.restartCore'),
      body: connected ? t('action.restartCore.body', { count: connected.size }) : t('action.restartCore.body.unknown'),
      action: t('action.restart'),
      run: () => restarting.mutate(),
    });
  const action = (id: string, label: string, icon: ReactNode, onClick: () => void): SpotlightActionData => ({
    id: `action-${id}`,
    label,
    leftSection: icon,
    onClick,
  });
  const allowed = (route: GuardedPath, one: SpotlightActionData): SpotlightActionData[] => (may(route) ? [one] : []);
  /** An action on a screen: the role must include both. */
  const onScreen = (
    id: ScreenId,
    route: GuardedPath,
    label: string,
    path: string,
    icon: ReactNode = <IconPlus size={18} aria-hidden />,
  ): SpotlightActionData[] =>
    screens.some((screen) => screen.id === id)
      ? allowed(
          route,
          action(route, label, icon, () => void navigate(path)),
        )
      : [];
  const refresh = <IconRefresh size={18} aria-hidden />;
  const compare = <IconCompare size={18} aria-hidden />;
  const recount = <IconScale size={18} aria-hidden />;
  const contrast = <IconContrast size={18} aria-hidden />;
  const themes = (['light', 'dark', 'auto'] as const).filter((theme) => theme !== colorScheme);
  const otherDensity = density === 'compact' ? 'comfortable' : 'compact';
  return [
    ...onScreen('inbounds', '/panel/api/inbounds/add', t('action.addInbound'), '/inbounds/new'),
    ...onScreen('clients', '/panel/api/inbounds/addClient', t('action.addClient'), '/clients?new=1'),
    ...onScreen('nodes', '/panel/api/nodes/add', t('action.addNode'), '/nodes?new=1'),
    ...onScreen('webhooks', '/panel/api/webhooks/add', t('action.addWebhook'), '/webhooks?new=1'),
    ...onScreen('audit', '/panel/api/audit/diff', t('action.compare'), '/audit/compare', compare),
    ...onScreen('audit', '/panel/api/audit/recount/preview', t('action.recount'), '/audit/recount', recount),
    ...allowed(
      '/panel/api/server/restartCoreService',
      action('restartCore', t('action.restartCore'), refresh, restart),
    ),
    ...themes.map((theme) =>
      action(`theme-${theme}`, `${t('theme')}: ${t(`theme.${theme}`)}`, contrast, () => setColorScheme(theme)),
    ),
    action('density', `${t('density')}: ${t(`density.${otherDensity}`)}`, <IconDensity size={18} aria-hidden />, () =>
      setPreferences({ density: otherDensity }),
    ),
    action('keys', t('keys.title'), <IconKeyboard size={18} aria-hidden />, onHelp),
    action('logout', t('logout'), <IconLogout size={18} aria-hidden />, logOut),
  ].filter(({ label }) => String(label).toLowerCase().includes(wanted));
}
