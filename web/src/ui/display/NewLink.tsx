import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client';
import { CopyButton } from './CopyButton';
import { Technical } from './format';
import classes from './NewLink.module.css';
import { Loaded } from './Page';
import { Qr } from './Qr';

interface Props {
  readonly inbound: number;
  readonly email: string;
  /** The accessible name of the QR code. */
  readonly qrLabel: string;
  readonly copyLabel: string;
}

/** The first share link of a client that was just added, to scan or to copy. */
export function NewLink({ inbound, email, qrLabel, copyLabel }: Props) {
  const query = useQuery({
    queryKey: ['inbounds', 'links', inbound, email],
    queryFn: ({ signal }) =>
      api.get('/panel/api/inbounds/getClientLinks/:id/:email', { params: { id: inbound, email }, signal }),
  });
  return (
    <Loaded query={query} rows={3}>
      {([link = '']) => (
        <Stack gap="sm" align="center">
          <Qr text={link} label={qrLabel} className={classes['qr']} />
          <div className={classes['link']}>
            <Technical>{link}</Technical>
            <CopyButton text={link} label={copyLabel} />
          </div>
        </Stack>
      )}
    </Loaded>
  );
}
