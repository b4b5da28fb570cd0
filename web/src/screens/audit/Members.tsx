import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import classes from './Audit.module.css';
import { Changes } from './Changes';
import { SubjectName } from './columns';
import { eventMembers } from './queries';

/** The clients of an event about many, with what it changed of each. */
export function Members({ position }: { readonly position: number }) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const query = useInfiniteQuery(eventMembers(position));
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const members = pages.flatMap((page) => page.members);
        const rest = (pages[0]?.total ?? 0) - members.length;
        return (
          <>
            <ol className={classes['linked']}>
              {members.map(({ subject, changes }, index) => (
                <li key={subject?.number ?? index}>
                  <SubjectName subject={subject} />
                  {changes.length > 0 && <Changes changes={changes} />}
                </li>
              ))}
            </ol>
            {rest > 0 && (
              <Button
                mt="sm"
                size="compact-sm"
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t('members.more', { number: format.number(rest) })}
              </Button>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
