import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../../api/access';
import { Technical, useFormat } from '../../../ui/display/format';
import classes from './ClientPage.module.css';
import type { Why } from './StateCard';

const SHOWN = 10;

/** What happened to the client, the newest first. */
export function Timeline({ story }: Pick<Why, 'story'>) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const mayAudit = useMay()('/panel/api/audit/page');
  const [isWhole, setWhole] = useState(false);
  const newest = story.toReversed();
  const shown = isWhole ? newest : newest.slice(0, SHOWN);
  return (
    <>
      <ol className={classes['story']}>
        {shown.map(({ position, at, what, by, because }) => (
          <li key={position}>
            <span>{what}</span>
            <span className={classes['when']}>
              <time dateTime={new Date(at).toISOString()}>{format.dateTime(at)}</time> · <bdi>{by}</bdi> ·{' '}
              {mayAudit ? (
                <Anchor component={Link} to={`/audit/${position}`} inherit>
                  <Technical>#{position}</Technical>
                </Anchor>
              ) : (
                <Technical>#{position}</Technical>
              )}
              {because && ` ${t('because', { position: because.position })}`}
            </span>
          </li>
        ))}
      </ol>
      {story.length > shown.length && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={() => setWhole(true)}>
          {t('timeline.all', { n: format.number(story.length) })}
        </Button>
      )}
      {story.length === 0 && (
        <Text size="sm" c="dimmed">
          –
        </Text>
      )}
    </>
  );
}
