import { Button, Skeleton, Stack } from '@mantine/core';
import IconLock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs';
import { useQuery } from '@tanstack/react-query';
import {
  Component,
  type ComponentType,
  type LazyExoticComponent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, Route, Routes, useLocation } from 'react-router';
import { me } from '../api/access';
import { ApiError } from '../api/client';
import { moment } from '../api/moment';
import { addTexts } from '../i18n/i18n';
import { type Live, useLive } from '../live/live';
import { screens } from '../screens/registry';
import type { ScreenDefinition, ScreenId } from '../screens/screen';
import { NotFound } from '../ui/display/NotFound';
import { Empty, Page, Problem } from '../ui/display/Page';
import { useAllowedScreens, useHome } from './allowed-screens';

interface LoadedScreen {
  readonly id: ScreenId;
  readonly Screen: LazyExoticComponent<ComponentType>;
  /** Loads the component and the texts; they are loaded once. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** A file of a screen could not be loaded. */
class ScreenFileError extends Error {}

function lazyScreen({ id, texts, load }: ScreenDefinition): LoadedScreen {
  let loading: ReturnType<LoadedScreen['load']> | undefined;
  const start: LoadedScreen['load'] = () => {
    loading ??= Promise.all([load(), addTexts(id, texts)]).then(
      ([component]) => ({ default: component }),
      (cause: unknown) => {
        throw new ScreenFileError(`The screen ${id} could not be loaded`, { cause });
      },
    );
    return loading;
  };
  return { id, Screen: lazy(start), load: start };
}

const routes = screens.map(lazyScreen);

/** Loads the screen of an address such as `#/clients` while the frame around it is still to be rendered. */
export function preloadScreen(fragment: string): void {
  const [, id = ''] = fragment.split(/[/?]/);
  const screen = routes.find((route) => route.id === (id || 'overview'));
  // When it fails, the screen reports it.
  screen?.load().catch(() => undefined);
}

/** The screen of the address. */
export function Screens({ live }: { readonly live: Live }) {
  const { pathname } = useLocation();
  const allowed = useAllowedScreens();
  const home = useHome();
  const [, first = ''] = pathname.split('/');
  return (
    <Boundary key={first} failed={(error) => <Failed error={error} path={first} live={live} />}>
      <Suspense fallback={<Waiting />}>
        <Routes>
          <Route index element={<Navigate to={`/${home}`} replace />} />
          {routes.map(({ id, Screen }) => (
            <Route
              key={id}
              path={`${id}/*`}
              element={allowed.some((one) => one.id === id) ? <Screen /> : <NotAllowed id={id} />}
            />
          ))}
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </Boundary>
  );
}

function Waiting() {
  return (
    <Stack aria-busy="true">
      <Skeleton height={32} width={180} />
      <Skeleton height={220} />
    </Stack>
  );
}

/** A screen that the role of the admin does not include. */
function NotAllowed({ id }: { readonly id: ScreenId }) {
  const { t } = useTranslation('shell');
  const { data } = useQuery(me);
  const screen = t(`nav.${id}`);
  const isPast = moment !== null;
  return (
    <Page title={screen}>
      <Empty
        icon={<IconLock size={28} />}
        title={isPast ? t('past.notShown', { screen }) : t('notAllowed.title', { role: data?.role ?? '', screen })}
        body={t(isPast ? 'past.notShownBody' : 'notAllowed.body')}
        action={<HomeLink />}
      />
    </Page>
  );
}

function HomeLink() {
  const { t } = useTranslation('shell');
  const home = useHome();
  return (
    <Button component={Link} to={`/${home}`} mt="sm">
      {t('keys.go', { screen: t(`nav.${home}`) })}
    </Button>
  );
}

interface BoundaryProps {
  readonly failed: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

/** A defect in one screen, or a file that could not be loaded, leaves the others usable. */
class Boundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : this.props.failed(error);
  }
}

interface FailedProps {
  readonly error: unknown;
  /** The first part of the address. */
  readonly path: string;
  readonly live: Live;
}

/** In place of a screen that failed. One whose files could not be loaded is opened when the connection is back. */
function Failed({ error, path, live }: FailedProps) {
  const { t } = useTranslation('shell');
  const { isOnline } = useLive(live);
  const wasOffline = useRef(false);
  const isMissing = error instanceof ScreenFileError;
  useEffect(() => {
    // A failed import stays failed in this document; after an update of the panel its files have other names.
    if (isOnline && wasOffline.current && isMissing) location.reload();
    wasOffline.current ||= !isOnline;
  }, [isOnline, isMissing]);
  const screen = routes.find(({ id }) => id === path);
  const why = isMissing ? new ApiError(t(isOnline ? 'error.screen' : 'error.offline'), 'OFFLINE', 0) : error;
  return (
    <Page title={screen ? t(`nav.${screen.id}`) : t('error.screen')}>
      <Problem error={why} retry={() => location.reload()} />
    </Page>
  );
}
