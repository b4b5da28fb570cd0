import { Burger, Button, Group, Kbd, Modal, NavLink, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import IconBook from '@tabler/icons-react/dist/esm/icons/IconBook.mjs';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import IconWifiOff from '@tabler/icons-react/dist/esm/icons/IconWifiOff.mjs';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useMay } from '../api/access';
import { base } from '../api/client';
import { type Live, useLive } from '../live/live';
import { isApple } from '../model/keys';
import { Logo } from '../theme/Logo';
import { useFormat } from '../ui/display/format';
import { useAllowedScreens } from './allowed-screens';
import { PastBanner, useSeesPast } from './PastBanner';
import { usePart } from './part';
import { Screens } from './Screens';
import { SessionDialog } from './SessionDialog';
import classes from './Shell.module.css';
import { OPEN_PALETTE, useShortcuts } from './shortcuts';
import { collectTyped, takeTyped } from './type-ahead';
import { ViewMenu } from './ViewMenu';

const loadPalette = async () => {
  try {
    return (await import('./Palette')).Palette;
  } catch (error) {
    takeTyped();
    throw error;
  }
};
const loadMomentDialog = async () => (await import('./MomentDialog')).MomentDialog;

const GROUPS = ['traffic', 'system', 'security'] as const;

export function Shell({ live }: { readonly live: Live }) {
  const { t } = useTranslation('shell');
  const [isMenuOpen, menu] = useDisclosure(false);
  const [isHelpOpen, help] = useDisclosure(false);
  const { pathname } = useLocation();
  const [Palette, loadsPalette] = usePart(loadPalette);
  const openPalette = (): void => {
    collectTyped();
    loadsPalette();
    document.dispatchEvent(new Event(OPEN_PALETTE));
  };
  const [isChoosingMoment, moments] = useDisclosure(false);
  const [MomentDialog, loadsMomentDialog] = usePart(loadMomentDialog);
  const chooseMoment = (): void => {
    loadsMomentDialog();
    moments.open();
  };
  const seesPast = useSeesPast();
  useShortcuts({ onHelp: help.open, onPalette: openPalette });
  // On a phone the menu covers the screen that was chosen in it.
  useEffect(() => menu.close(), [pathname, menu.close]);
  return (
    <>
      <a href="#content" className={classes['skip']} onClick={skip}>
        {t('nav.skip')}
      </a>
      <header className={classes['header']}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isMenuOpen}
            onClick={menu.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={t('nav.open')}
            aria-expanded={isMenuOpen}
          />
          <Link to="/" className={classes['brand']}>
            <Logo />
            <Text fw={600} className={classes['brandName']}>
              Portolan
            </Text>
          </Link>
          <UnstyledButton className={classes['search']} onClick={openPalette}>
            <IconSearch size={16} aria-hidden />
            <span>{t('search')}</span>
            <Kbd size="xs" visibleFrom="sm">
              {isApple() ? '⌘ K' : 'Ctrl K'}
            </Kbd>
          </UnstyledButton>
          <ViewMenu live={live} onHelp={help.open} onMoment={seesPast ? chooseMoment : null} />
        </Group>
      </header>
      <aside className={classes['aside']} data-open={isMenuOpen || undefined}>
        <Navigation path={pathname} />
      </aside>
      <main id="content" tabIndex={-1} className={classes['main']}>
        <PastBanner onChange={chooseMoment} />
        <Offline live={live} />
        <Screens live={live} />
      </main>
      {Palette && <Palette onHelp={help.open} />}
      {isChoosingMoment && MomentDialog && <MomentDialog onClose={moments.close} />}
      <SessionDialog live={live} />
      <Modal
        opened={isHelpOpen}
        onClose={help.close}
        title={t('keys.title')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <ShortcutList />
      </Modal>
    </>
  );
}

/** The fragment is the address of a screen, so the link cannot use it; it moves the focus instead. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Navigation({ path }: { readonly path: string }) {
  const { t } = useTranslation('shell');
  const screens = useAllowedScreens();
  const may = useMay();
  return (
    <nav aria-label={t('nav.label')} className={classes['nav']}>
      <div className={classes['links']}>
        {GROUPS.filter((name) => screens.some(({ group }) => group === name)).map((group) => (
          <div key={group} className={classes['group']}>
            <Text size="xs" fw={600} c="dimmed" px="sm" pb={4} component="h2">
              {t(`nav.${group}`)}
            </Text>
            {screens
              .filter((screen) => screen.group === group)
              .map(({ id, icon: Icon }) => {
                const isCurrent = path === `/${id}` || path.startsWith(`/${id}/`);
                return (
                  <NavLink
                    key={id}
                    component={Link}
                    to={`/${id}`}
                    label={t(`nav.${id}`)}
                    leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
                    active={isCurrent}
                    aria-current={isCurrent ? 'page' : undefined}
                    className={classes['link']}
                  />
                );
              })}
          </div>
        ))}
      </div>
      {may('/panel/api-docs') && (
        <NavLink
          component="a"
          href={new URL('panel/api-docs', base).href}
          label={t('apiDocs')}
          leftSection={<IconBook size={18} stroke={1.6} aria-hidden />}
          className={classes['link']}
        />
      )}
    </nav>
  );
}

function Offline({ live }: { readonly live: Live }) {
  const { t } = useTranslation('shell');
  const { isOnline, lastMessageAt } = useLive(live);
  const format = useFormat();
  return (
    <div role="status">
      {!isOnline && (
        <div className={classes['offline']}>
          <IconWifiOff size={18} aria-hidden />
          <span>{t('offline', { time: format.time(lastMessageAt) })}</span>
          <Button size="compact-xs" variant="white" color="dark" onClick={() => live.reconnect()}>
            {t('offline.retry')}
          </Button>
        </div>
      )}
    </div>
  );
}

function ShortcutList() {
  const { t } = useTranslation('shell');
  const screens = useAllowedScreens();
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[isApple() ? '⌘' : 'Ctrl', 'K'], t('keys.palette')],
    [['?'], t('keys.help')],
    ...(screens.some(({ id }) => id === 'clients') ? [[['/'], t('keys.search')] as const] : []),
    ...screens.map(({ id, key }) => [['g', key], t('keys.go', { screen: t(`nav.${id}`) })] as const),
  ];
  return (
    <Stack gap={6}>
      {rows.map(([keys, meaning]) => (
        <Group key={keys.join()} justify="space-between" wrap="nowrap">
          <Text size="sm">{meaning}</Text>
          <Group gap={4} wrap="nowrap" dir="ltr">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  );
}
