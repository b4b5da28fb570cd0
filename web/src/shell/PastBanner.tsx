import { Button } from '@mantine/core';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { me } from '../api/access';
import { addressAt, moment, useShownMoment } from '../api/moment';
import { useFormat } from '../ui/display/format';
import classes from './Shell.module.css';

/** Whether the admin may see earlier moments. */
export function useSeesPast(): boolean {
  const { data } = useQuery(me);
  return data?.grants.some(({ permission }) => permission === 'clients:read') ?? true;
}

/** Says which moment of the past the page shows, with the way back. */
export function PastBanner({ onChange }: { readonly onChange: () => void }) {
  const { t } = useTranslation('shell');
  const { pathname } = useLocation();
  const format = useFormat();
  const shown = useShownMoment();
  if (moment === null) return null;
  const text = shown?.position
    ? t('past.banner', { time: format.dateTime(shown.at), position: format.number(shown.position) })
    : t('past.bannerAt', { moment: shown ? format.dateTime(shown.at) : moment });
  return (
    <div role="status" className={classes['past']}>
      <IconHistory size={18} aria-hidden />
      <span>
        {text}
        {shown && shown.erased > 0 && ` ${t('past.erased', { count: shown.erased })}`}
      </span>
      <span className={classes['pastActions']}>
        <Button size="compact-xs" variant="white" color="dark" onClick={onChange}>
          {t('past.change')}
        </Button>
        <Button size="compact-xs" variant="white" color="dark" component="a" href={addressAt(null, pathname)}>
          {t('past.back')}
        </Button>
      </span>
    </div>
  );
}
