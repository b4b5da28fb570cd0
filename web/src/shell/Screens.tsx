import { Button, Skeleton, Stack } from '@mantine/core';
import IconMapOff from '@tabler/icons-react/dist/esm/icons/IconMapOff.mjs';
import {
  Component,
  type ComponentType,
  type LazyExoticComponent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, Route, Routes, useLocation } from 'react-router';
import { addTexts } from '../i18n/i18n';
import { screens } from '../screens/registry';
import type { ScreenDefinition } from '../screens/screen';
import { Empty, Page, Problem } from '../ui/Page';

/** The component of a screen, with its texts. */
function loaded({ id, texts, load }: ScreenDefinition): LazyExoticComponent<ComponentType> {
  return lazy(async () => {
    const [component] = await Promise.all([load(), addTexts(id, texts)]);
    return { default: component };
  });
}

const routes = screens.map((screen) => ({ id: screen.id, Screen: loaded(screen) }));

/** The screen of the address. */
export function Screens() {
  const { pathname } = useLocation();
  const [, first = ''] = pathname.split('/');
  // The focus on the heading makes a screen reader announce the new screen.
  useEffect(() => document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true }), [first]);
  return (
    <Boundary key={first}>
      <Suspense fallback={<Waiting />}>
        <Routes>
          <Route index element={<Navigate to="/overview" replace />} />
          {routes.map(({ id, Screen }) => (
            <Route key={id} path={`${id}/*`} element={<Screen />} />
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

export function NotFound() {
  const { t } = useTranslation('shell');
  return (
    <Page title={t('notFound.title')}>
      <Empty
        icon={<IconMapOff size={28} />}
        title={t('notFound.title')}
        body={t('notFound.body')}
        action={
          <Button component={Link} to="/overview" mt="sm">
            {t('notFound.action')}
          </Button>
        }
      />
    </Page>
  );
}

/** A defect in one screen, or a file that could not be loaded, leaves the others usable. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    // A failed import stays failed in this document; after an update of the panel its files have other names.
    return error === null ? this.props.children : <Problem error={error} retry={() => location.reload()} />;
  }
}
