import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { HeadSink } from '../../api/contract.generated';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import classes from './Audit.module.css';
import { publishedHead } from './queries';

/** The last published head: where it was published, and whether the log still has its hash at this position. */
export function Published() {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const query = useQuery(publishedHead);
  return (
    <section aria-label={t('published')}>
      <div className={classes['partHead']}>
        <h3>{t('published')}</h3>
      </div>
      <Loaded query={query} rows={2}>
        {({ last, sinks, isInChain }) =>
          last === null ? (
            <p className={classes['muted']}>{t('published.none')}</p>
          ) : (
            <dl className={classes['facts']}>
              <dt>{t('column.position')}</dt>
              <dd>
                <Technical>#{last.position}</Technical>
              </dd>
              <dt>{t('column.time')}</dt>
              <dd>
                <time dateTime={new Date(last.at).toISOString()}>{format.instant(last.at)}</time> (
                {format.relative(last.at)})
              </dd>
              <dt>{t('published.where')}</dt>
              <dd>{sinks.length === 0 ? t('published.nowhere') : <Places sinks={sinks} position={last.position} />}</dd>
              <dt>{t('published.chain')}</dt>
              <dd>
                {isInChain ? (
                  <Status tone="good">{t('published.contained')}</Status>
                ) : (
                  <Status tone="bad">{t('published.missing')}</Status>
                )}
              </dd>
            </dl>
          )
        }
      </Loaded>
    </section>
  );
}

function Places({ sinks, position }: { readonly sinks: readonly HeadSink[]; readonly position: number }) {
  const { t } = useTranslation('audit');
  return (
    <ul className={classes['places']}>
      {sinks.map(({ sink, target, position: reached, problem }) => (
        <li key={`${sink} ${target}`}>
          {t(`sink.${sink}`)} {target !== '' && <Technical>{target}</Technical>}
          {reached < position && (
            <Status tone={problem === '' ? 'warn' : 'bad'}>
              {problem === '' ? t('published.waiting', { position: `#${reached}` }) : problem}
            </Status>
          )}
        </li>
      ))}
    </ul>
  );
}
