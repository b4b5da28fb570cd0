import { Button, Group, Text } from '@mantine/core';
import IconActivity from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Gets, Posts } from '../../../api/contract.generated';
import type { JsonObject } from '../../../model/json';
import { Technical, useFormat } from '../../../ui/display/format';
import { Status } from '../../../ui/display/Status';
import classes from '../Core.module.css';
import { textAt } from '../template';
import { serverOf } from './places';

export type TestResult = Posts['/panel/core/testOutbound']['reply'];
export type Observed = Gets['/panel/api/server/coreObservatory']['reply'][number];
type Traffic = Gets['/panel/core/getOutboundsTraffic']['reply'][number];

/** Their test would only test this machine. */
export const UNTESTED = new Set(['blackhole', 'dns', 'loopback']);

interface Props {
  readonly outbound: JsonObject;
  readonly isDefault: boolean;
  readonly traffic: Traffic | undefined;
  /** What the core's own measurements say, if it measures this outbound. */
  readonly observed: Observed | undefined;
  readonly result: TestResult | undefined;
  readonly isTesting: boolean;
  /** Null for a role that cannot run tests. */
  readonly onTest: (() => void) | null;
  readonly onOpen: () => void;
  readonly onHistory: () => void;
  readonly menu: ReactNode;
}

/** An outbound in the list, with its traffic, its test and the measurements of the core. */
export function OutboundRow(props: Props) {
  const { outbound, isDefault, traffic, result, isTesting, onTest, onOpen, menu } = props;
  const { t } = useTranslation('core');
  const format = useFormat();
  const tag = textAt(outbound, 'tag');
  const protocol = textAt(outbound, 'protocol');
  return (
    <li>
      <div className={classes['main']}>
        <span className={classes['name']}>
          <button type="button" onClick={onOpen}>
            <Technical>{tag || '–'}</Technical>
          </button>
          {isDefault && <Status tone="good">{t('outbound.default')}</Status>}
          {result && (
            <Status tone={result.success ? 'good' : 'bad'}>
              {result.success ? t('ms', { value: format.number(result.delay) }) : t('outbound.failed')}
            </Status>
          )}
        </span>
        <span className={classes['note']}>
          <Technical>{[protocol, serverOf(outbound)].filter((part) => part !== '').join(' · ')}</Technical>
          {traffic && traffic.total > 0 && (
            <>
              {' · '}
              <Technical>
                ↑ {format.bytes(traffic.up)} ↓ {format.bytes(traffic.down)}
              </Technical>
            </>
          )}
        </span>
        <Measured {...props} />
        {result?.error !== undefined && !result.success && (
          <Text size="xs" c="var(--bad)">
            {result.error}
          </Text>
        )}
      </div>
      <Group gap={4} wrap="nowrap">
        {onTest && !UNTESTED.has(protocol) && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('outbound.testOf', { tag })}
            leftSection={<IconActivity size={14} />}
            loading={isTesting}
            onClick={onTest}
          >
            {t('outbound.test')}
          </Button>
        )}
        {menu}
      </Group>
    </li>
  );
}

function Measured({ observed, onHistory }: Pick<Props, 'observed' | 'onHistory'>) {
  const { t } = useTranslation('core');
  const format = useFormat();
  if (!observed) return null;
  return (
    <span className={classes['note']}>
      <button type="button" className={classes['link']} onClick={onHistory}>
        {observed.alive
          ? t('observed.alive', { delay: format.number(observed.delay) })
          : observed.lastSeenTime > 0
            ? t('observed.dead', { when: format.relative(observed.lastSeenTime * 1000) })
            : t('observed.never')}
      </button>
    </span>
  );
}
