import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/access';
import { timeZone } from '../../api/client';
import { subscriptions } from '../../api/queries';
import { otherZone, type Zones } from '../../model/zone';

/** The time zones of this browser, in which the page shows times, and of the panel; null if their clocks show the same. */
export function useOtherZone(): Zones | null {
  const { data } = useQuery({ ...subscriptions, enabled: useMay()('/panel/api/clients/subscriptions') });
  return otherZone(timeZone(), data?.zone, Date.now());
}
