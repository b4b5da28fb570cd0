import { Alert, Anchor, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { lastProblem } from '../../model/last-problem';
import type { Loadable } from '../../model/loadable';
import { sentenceOf } from '../feedback/toast';
import classes from './Page.module.css';

interface PageProps {
  readonly title: string;
  /** One line on what the numbers on the screen are. */
  readonly summary?: ReactNode;
  readonly actions?: ReactNode;
  /** The screen above this one. */
  readonly back?: { readonly to: string; readonly label: string };
  /** The content fills the window and scrolls inside, as tables do. */
  readonly fill?: boolean;
  readonly children: ReactNode;
}

/** The first part of the address, such as `clients`. */
const screenNow = (): string => window.location.hash.split(/[/?]/)[1] ?? '';
/** The screen that a screen reader has announced: the first one by the title of the tab. */
let announced = screenNow();

/** The frame of every screen: the only h1, the title of the tab, the actions. */
export function Page({ title, summary, actions, back, fill = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Portolan`;
  }, [title]);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The focus on the heading makes a screen reader announce the new screen.
    if (announced !== screenNow()) heading.current?.focus({ preventScroll: true });
    announced = screenNow();
  }, []);
  return (
    <div className={classes['page']} data-fill={fill || undefined}>
      <Group justify="space-between" align="center" gap="sm" className={classes['head']}>
        <div className={classes['title']}>
          {back && (
            <Anchor component={Link} to={back.to} size="sm">
              <span className={classes['back']}>
                <IconChevronLeft size={16} aria-hidden />
                {back.label}
              </span>
            </Anchor>
          )}
          <Title ref={heading} order={1} tabIndex={-1}>
            <bdi>{title}</bdi>
          </Title>
          {summary !== undefined && (
            <Text size="sm" c="dimmed" className="number">
              {summary}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </div>
  );
}

/** Why something could not be loaded, with a button to try again. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const { t } = useTranslation('shell');
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={t('error.load')} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{sentenceOf(error)}</Text>
        <Button size="xs" variant="default" onClick={retry}>
          {t('retry')}
        </Button>
      </Stack>
    </Alert>
  );
}

/** An empty list: what it is for, and how to add the first item. */
export function Empty({
  icon,
  title,
  body,
  action,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly body: string;
  readonly action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" className={classes['empty']}>
      <div className={classes['emptyIcon']} aria-hidden>
        {icon}
      </div>
      <Text fw={600} ta="center">
        {title}
      </Text>
      <Text size="sm" c="dimmed" ta="center" maw={420}>
        {body}
      </Text>
      {action}
    </Stack>
  );
}

/** A query's content: a skeleton while it loads, the problem when it failed and nothing is known, else the content. */
export function Loaded<T>({
  query,
  rows = 6,
  children,
}: {
  readonly query: Loadable<T>;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}) {
  const [before, setBefore] = useState(query.error);
  const problem = lastProblem(query, before);
  if (problem !== before) setBefore(problem);
  if (query.data !== undefined) return children(query.data);
  if (problem) return <Problem error={problem} retry={() => void query.refetch()} />;
  return <Loading rows={rows} />;
}

/** What is shown until the content is there. */
export function Loading({ rows }: { readonly rows: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={36} />
      ))}
    </Stack>
  );
}

/** A part of a screen with its heading. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Paper component="section" p="md" aria-label={title} className={classes['section']}>
      <div className={classes['sectionHead']}>
        <Text component="h2" fw={600} size="sm">
          {title}
        </Text>
        {actions}
      </div>
      {children}
    </Paper>
  );
}
