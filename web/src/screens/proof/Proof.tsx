// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Group, Text } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconUpload from '@tabler/icons-react/dist/esm/icons/IconUpload.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded, Page, Section } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { Status } from '../../ui/display/Status';
import { saveFile } from '../../ui/display/save';
import { useAction } from '../../ui/feedback/action';
import classes from './Proof.module.css';
import { newestHeads, type ProofStatus, proofStatus, STALE } from './queries';
import { Sinks } from './Sinks';

const VERIFY = 'node verify-log.mjs --heads heads.jsonl --key panel.pem events.jsonl';

/** `#/proof`: signed heads of the log, where they are published, and what an outsider needs to verify the log. */
export function Proof() {
  const { t } = useTranslation('proof');
  const may = useMay();
  const query = useQuery(proofStatus);
  const publishing = useAction({
    stale: STALE,
    run: () => api.post('/panel/api/proof/publish'),
    said: (_, { obj }) => t('published', { position: obj?.head.position ?? 0 }),
  });
  return (
    <Page
      title={t('title')}
      summary={t('summary')}
      actions={
        may('/panel/api/proof/publish') && (
          <Button
            leftSection={<IconUpload size={16} />}
            loading={publishing.isPending}
            onClick={() => publishing.mutate()}
          >
            {t('publish')}
          </Button>
        )
      }
    >
      <p className={classes['about']}>{t('about')}</p>
      <Loaded query={query} rows={8}>
        {(status) => (
          <>
            <Sinks sinks={status.sinks} />
            <Heads status={status} />
            <div className={blocks['columns']}>
              <Key status={status} />
              <Files />
            </div>
            {status.others.length > 0 && <Others others={status.others} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Key({ status: { key, panel } }: { readonly status: ProofStatus }) {
  const { t } = useTranslation('proof');
  return (
    <Section
      title={t('key')}
      actions={
        key && (
          <Group gap="xs">
            <CopyButton text={key.pem} label={t('key.copy')} />
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconDownload size={14} />}
              onClick={() => saveFile(new Blob([key.pem], { type: 'application/x-pem-file' }), 'panel.pem')}
            >
              panel.pem
            </Button>
          </Group>
        )
      }
    >
      {key === null ? (
        <Text size="sm" c="dimmed">
          {t('key.none')}
        </Text>
      ) : (
        <>
          <pre className={classes['code']} dir="ltr" tabIndex={0} aria-label={t('key')}>
            {key.pem.trim()}
          </pre>
          <Text size="xs" c="dimmed">
            {t('key.help')} <Technical>{panel}</Technical>
          </Text>
        </>
      )}
    </Section>
  );
}

/** What an outsider downloads, and the command that verifies it. */
function Files() {
  const { t } = useTranslation('proof');
  const files = [
    ['verify-log.mjs', api.file('/panel/api/proof/verify-log.mjs')],
    ['heads.jsonl', api.file('/panel/api/proof/heads.jsonl')],
    ['events.jsonl', api.file('/panel/api/proof/events.jsonl')],
  ] as const;
  return (
    <Section title={t('files')} actions={<CopyButton text={VERIFY} label={t('files.copy')} />}>
      <pre className={classes['code']} dir="ltr" tabIndex={0} aria-label={t('files')}>
        {VERIFY}
      </pre>
      <Group gap="xs" mb="sm">
        {files.map(([name, href]) => (
          <Button
            key={name}
            component="a"
            href={href}
            download
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} />}
          >
            {name}
          </Button>
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        {t('files.help')}
      </Text>
    </Section>
  );
}

function Heads({ status: { heads, sinks } }: { readonly status: ProofStatus }) {
  const { t } = useTranslation('proof');
  const format = useFormat();
  const query = useQuery(newestHeads(heads));
  return (
    <Section title={t('heads', { number: format.number(heads) })}>
      <Loaded query={query} rows={3}>
        {(all) =>
          all.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('heads.none')}
            </Text>
          ) : (
            <ul className={blocks['list']} aria-label={t('heads.label')}>
              {all.map(({ position, hash, at }) => {
                const missing = sinks.filter((sink) => sink.position < position);
                return (
                  <li key={position} className={rows['row']}>
                    <div className={rows['main']}>
                      <div className={rows['name']}>
                        <Technical>#{position}</Technical>
                        <span className={rows['note']}>{format.dateTime(at)}</span>
                      </div>
                      <div className={rows['note']}>
                        <Technical>{hash}</Technical>
                      </div>
                    </div>
                    {sinks.length > 0 && (
                      <Status tone={missing.length === 0 ? 'good' : 'warn'}>
                        {missing.length === 0
                          ? t('heads.everywhere')
                          : t('heads.missing', { sinks: missing.map(({ sink }) => t(`sink.${sink}`)).join(', ') })}
                      </Status>
                    )}
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Heads that other panels have published to this one. */
function Others({ others }: Pick<ProofStatus, 'others'>) {
  const { t } = useTranslation('proof');
  const format = useFormat();
  return (
    <Section title={t('others')}>
      <ul className={blocks['list']} aria-label={t('others')}>
        {others.map(({ panel, last, heads, conflict }) => (
          <li key={panel} className={rows['row']}>
            <div className={rows['main']}>
              <div className={rows['name']}>
                <Technical>{panel}</Technical>
                {conflict && (
                  <Status tone="bad" isSentence>
                    {t('others.conflict', { position: conflict.head.position, other: conflict.other })}
                  </Status>
                )}
              </div>
              <div className={rows['note']}>
                {t('heads', { number: format.number(heads) })} · <Technical>#{last.position}</Technical> ·{' '}
                {format.dateTime(last.at)}
              </div>
            </div>
            <Button
              component="a"
              href={api.file('/panel/api/proof/received/:panel', { params: { panel } })}
              download
              size="compact-sm"
              variant="default"
              leftSection={<IconDownload size={14} />}
            >
              heads.jsonl
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
