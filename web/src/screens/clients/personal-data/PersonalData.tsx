import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import { useFormat } from '../../../ui/display/format';
import { Section } from '../../../ui/display/Page';
import { Status } from '../../../ui/display/Status';
import { saveFile } from '../../../ui/display/save';
import { useAction } from '../../../ui/feedback/action';
import { EraseDialog } from './EraseDialog';
import { PlaceHold, ReleaseHold } from './HoldForms';
import { type Certificate, holds as holdsQuery, type LegalHold } from './queries';

interface Props {
  readonly email: string;
  readonly onErased: (certificate: Certificate) => void;
}

/** What is kept of a client: export, erasure, and legal holds. */
export function PersonalData({ email, onErased }: Props) {
  const { t } = useTranslation('clients');
  const may = useMay();
  const { data: all = [] } = useQuery({ ...holdsQuery, enabled: may('/panel/api/personalData/holds') });
  const [open, setOpen] = useState<'erase' | 'hold' | null>(null);
  const [released, setReleased] = useState<LegalHold | null>(null);
  const mayErase = may('/panel/api/personalData/erase/:email');
  const mayHold = may('/panel/api/personalData/hold');
  const mayExport = may('/panel/api/personalData/export/:email');
  if (!mayErase && !mayHold && !mayExport && !may('/panel/api/personalData/holds')) return null;
  const holds = all.filter(({ clients }) => clients.length === 0 || clients.some((one) => one.email === email));
  const close = (): void => setOpen(null);
  return (
    <Section title={t('personal')}>
      <Stack gap="sm">
        {holds.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('personal.noHold')}
          </Text>
        ) : (
          holds.map((hold) => <Hold key={hold.id} hold={hold} onRelease={mayHold ? setReleased : null} />)
        )}
        <Group gap="xs">
          {mayExport && <ExportMenu email={email} />}
          {mayHold && (
            <Button size="xs" variant="default" onClick={() => setOpen('hold')}>
              {t('hold.place')}
            </Button>
          )}
          {mayErase && (
            <Button size="xs" variant="light" color="red" onClick={() => setOpen('erase')}>
              {t('erase')}
            </Button>
          )}
        </Group>
      </Stack>
      {open === 'erase' && <EraseDialog email={email} onErased={onErased} onClose={close} />}
      {open === 'hold' && <PlaceHold email={email} onClose={close} />}
      {released && <ReleaseHold hold={released} onClose={() => setReleased(null)} />}
    </Section>
  );
}

interface HoldProps {
  readonly hold: LegalHold;
  /** Null = the admin may not release it. */
  readonly onRelease: ((hold: LegalHold) => void) | null;
}

function Hold({ hold, onRelease }: HoldProps) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const { clients, from, to, reason, by, placedAt } = hold;
  const period = [
    from === 0 ? '' : t('hold.since', { date: format.date(from) }),
    to === 0 ? '' : t('hold.until', { date: format.date(to) }),
  ];
  return (
    <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
      <div>
        <Status tone="warn">{t(clients.length === 0 ? 'hold.period' : 'hold')}</Status>
        <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{reason}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          {[t('hold.by', { by: `\u2068${by}\u2069`, at: format.dateTime(placedAt) }), ...period]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </div>
      {onRelease && (
        <Button size="xs" variant="default" style={{ flexShrink: 0 }} onClick={() => onRelease(hold)}>
          {t('hold.release')}
        </Button>
      )}
    </Group>
  );
}

function ExportMenu({ email }: { readonly email: string }) {
  const { t } = useTranslation('clients');
  const exporting = useAction<boolean>({
    stale: [],
    said: () => t('export.done', { email }),
    async run(mask) {
      const done = await api.post('/panel/api/personalData/export/:email', { params: { email }, body: { mask } });
      const json = JSON.stringify(done.obj, null, 2);
      saveFile(new Blob([json], { type: 'application/json' }), `personal-data-${email}.json`);
      return done;
    },
  });
  return (
    <Menu position="bottom-start" shadow="md" withinPortal>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          loading={exporting.isPending}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {t('export.data')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => exporting.mutate(false)}>{t('export.whole')}</Menu.Item>
        <Menu.Item onClick={() => exporting.mutate(true)}>{t('export.masked')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
